// SPDX-License-Identifier: Apache-2.0
// Seeds of the files that users, tools and boards write.
#include "compiler-lite/quantize/profile_yaml.h"
#include "nestrt/driver/costs.h"
#include "test/fuzz/fuzz_input.h"
#include "test/fuzz/seeds.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

compiler::ValueProfile value_profile(const std::string& name, float least, float most) {
  compiler::ValueProfile value;
  value.name = name;
  value.min = least;
  value.max = most;
  value.zeros = 2;
  value.elements = 10;
  value.magnitudes = {-3, {1, 0, 7}};
  return value;
}

template <typename T>
void add_array(SeedFolder& folder, DataType type, const Shape& shape) {
  const std::vector<T> elements(static_cast<size_t>(shape.num_elements()), T{1});
  folder.add(tools::format_npy({type, shape, elements.data()}));
}

// Returns an array in a version or order that format_npy() does not write.
std::string numpy_file(char version, const std::string& header) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  file += static_cast<char>(header.size());
  file += std::string(version == 1 ? 1 : 3, '\0');
  return file + header + std::string(16, '\1');
}

}  // namespace

void add_yaml_seeds(SeedFolder& folder) {
  compiler::QuantizationProfile profile;
  profile.model_digest = "00112233445566778899001122334455";
  profile.samples = 12;
  profile.values = {value_profile("data", -0.9f, 0.1f), value_profile("constant: \"0\"\n-", 0, 3)};
  profile.values[0].exponent = -5;
  profile.values[0].means = {0.1f, -2e-30f, 0};
  profile.values[0].peaks = {0.1f, 2e-30f, 0};
  folder.add(compiler::format_profile(profile));
  folder.add("- name: data\n  min: -1\n  max: 1.5\n  histogram: [1, 2, 0.5]\n");
  folder.add(
      "- name: dat\xc7\n  min: -1\n  max: 1\n  histogram: [5, 2]\n- name: dat\xe1\n  min: -5\n  max: 3\n  histogram: "
      "[1, 2]\n");
  folder.add("format: nestrt quantization profile\nversion: 1\nvalues: &a [*a]\n");
}

void add_npy_seeds(SeedFolder& folder) {
  add_array<float>(folder, DataType::kF32, {2, 3});
  add_array<int8_t>(folder, DataType::kS8, {4});
  add_array<int64_t>(folder, DataType::kS64, {});
  add_array<uint8_t>(folder, DataType::kBool, {1, 1, 2});
  folder.add(numpy_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n"));
  folder.add(numpy_file(2, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n"));
  folder.add(numpy_file(1, "{'descr': '>f4', 'fortran_order': True, 'shape': (4,), }\n"));
}

void add_costs_seeds(SeedFolder& folder) {
  folder.add(
      "nestrt costs 3\n# a board\nunit\tcpu\tx86-64-v3\t2\noverhead\t1.5\t2.5\t400\t0\n"
      "cost\t12.345678901234567\tmeasured\tConv kernel=1,1: f32 1x2 -> f32 1x2\ncost\t0\tunknown\tPool\n"
      "unit\tevta\t\t1\ncost\t1e-3\tmodelled\tConv\n");
  folder.add("nestrt costs 3\nkernels\t0.0.1\nunit\tcpu\t\t1\n");
  folder.add("nestrt costs 2\n");
}

void add_c_api_seeds(SeedFolder& folder) {
  // Loads the first plan, creates and runs a session, queries both and frees them.
  constexpr char kFullLifecycle[] = "\0\0\1\1\1\2\0\0\1\1\1\6\0\1\1\1\1\1\1\1\4\0\0\0\1\1\5\0\0\2\1\0\3\0";
  folder.add(std::string_view(kFullLifecycle, sizeof kFullLifecycle - 1));
  folder.add(std::string_view("\7\1\1\7\6\0\0", 7));
  // Loads a plan, sets an option, creates a session with it, runs with a timeout, and queries the plan. Then creates a
  // pipeline and runs one inference.
  constexpr char kWithOptions[] =
      "\0\0\1\1\1\12\1\11\144\0\6\13\0\0\1\15\0\1\1\1\1\1\11\144\0\1\16\0\0\0\1\1"
      "\17\0\1\2\2\2\2\2\21\0\1\1\1\1\1\22\0\20\0\14";
  folder.add(std::string_view(kWithOptions, sizeof kWithOptions - 1));
}

}  // namespace nestrt::test
