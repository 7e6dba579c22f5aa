// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/calibration.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/vendor/offload.h"
#include "compiler-lite/vendor/optional_backend.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

constexpr size_t kSamples = 3;
const Shape kImage{1, 16, 4, 4};

// x -> Conv a -> u -> {Conv b -> v, MaxPool c -> z} -> Concat join -> w -> Tanh -> y; v and z are the borders of
// "join".
test::ModelBuilder forked_model() {
  test::ModelBuilder model;
  model.input("x", {1, 16, 4, 4}).output("y");
  for (const char* name : {"a", "b"}) {
    std::vector<float> weights;
    for (int i = 0; i < 256; ++i) weights.push_back(static_cast<float>(i * 37 % 101 - 50) / 256);
    model.constant(std::string("w_") + name, {16, 16, 1, 1}, weights);
  }
  model.node("Conv", {"x", "w_a"}, {"u"}, "a");
  model.node("Conv", {"u", "w_b"}, {"v"}, "b");
  onnx::NodeProto& pool = model.node("MaxPool", {"u"}, {"z"}, "c");
  test::set_attribute(pool, "kernel_shape", std::vector<int64_t>{3, 3});
  test::set_attribute(pool, "pads", std::vector<int64_t>(4, 1));
  test::set_attribute(model.node("Concat", {"v", "z"}, {"w"}, "join"), "axis", int64_t{1});
  model.node("Tanh", {"w"}, {"y"}, "end");
  return model;
}

// A vendor's command that keeps its input files.
class KeepingVendor {
 public:
  KeepingVendor() {
    std::vector<float> x(kSamples * static_cast<size_t>(kImage.num_elements()));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 257) / 64 - 2;
    samples_ = HostTensor{DataType::kF32, {kSamples, 16, 4, 4}, to_bytes(x)};
    REQUIRE(tools::write_npy(path("x.npy"), {samples_.type, samples_.shape, samples_.elements.data()}).ok());
  }

  VendorOptions options() const {
    const std::string script =
        folder_.write_text("cc.sh", "cp $1 $2 && rm -rf $5 && cp -r $3 $5 && cp $4 $5/part.json");
    auto options = parse_vendor("npu=sh " + script + " {input} {output} {calibration} {manifest} " + path("kept"));
    REQUIRE(options);
    options->samples.npy = path("x.npy");
    return std::move(*options);
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string model() const { return folder_.write_text("model.onnx", forked_model().bytes()); }

  // Returns the values of the whole network for one sample.
  std::vector<std::vector<float>> expected(const std::vector<std::string>& names, size_t sample) const {
    const auto graph = forked_model().import();
    REQUIRE(graph);
    std::vector<ValueId> wanted;
    for (const std::string& name : names)
      for (ValueId id = 0; id < static_cast<ValueId>(graph->num_values()); ++id)
        if (graph->value(id).name == name) wanted.push_back(id);
    REQUIRE(wanted.size() == names.size());
    const auto bytes = static_cast<std::ptrdiff_t>(static_cast<size_t>(kImage.num_elements()) * sizeof(float));
    const auto first = samples_.elements.begin() + static_cast<std::ptrdiff_t>(sample) * bytes;
    const auto results = interpret(*graph, {{DataType::kF32, kImage, Bytes(first, first + bytes)}}, wanted);
    REQUIRE(results);
    std::vector<std::vector<float>> floats;
    for (const HostTensor& result : *results) {
      const auto* const data = reinterpret_cast<const float*>(result.elements.data());
      floats.emplace_back(data, data + result.shape.num_elements());
    }
    return floats;
  }

 private:
  const test::TemporaryFolder folder_;
  HostTensor samples_;
};

void check_close(const tools::Array& array, const std::vector<float>& expected) {
  REQUIRE(array.type == DataType::kF32);
  REQUIRE(array.shape.num_elements() == static_cast<int64_t>(expected.size()));
  const auto* const data = reinterpret_cast<const float*>(array.bytes.data());
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::abs(data[i] - expected[i]) > 1e-5f) FAIL("element " << i << ": " << data[i] << ", not " << expected[i]);
}

void check_files(const KeepingVendor& vendor, const std::vector<std::string>& inputs) {
  for (size_t sample = 0; sample < kSamples; ++sample) {
    const auto expected = vendor.expected(inputs, sample);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto array = tools::read_npy(vendor.path("kept/" + inputs[i] + "/0000" + std::to_string(sample) + ".npy"));
      INFO(array.error().to_string());
      REQUIRE(array);
      check_close(*array, expected[i]);
    }
  }
}

}  // namespace

TEST_CASE("A part in the middle gets the values that the whole network computes at its inputs") {
  const KeepingVendor vendor;
  VendorOptions options = vendor.options();
  options.parts = [](const Graph& graph) -> Result<std::vector<PartSpec>> {
    const auto operators = model_operators(graph);
    PartSpec part{"tail", "npu", {}};
    for (uint32_t op = 0; op < operators.size(); ++op)
      if (operators[op].name == "join" || operators[op].name == "end") part.operators.push_back(op);
    return std::vector{part};
  };
  auto graph = forked_model().import();
  REQUIRE(graph);
  const auto backend = offload_parts(*graph, options);
  INFO(backend.error().to_string());
  REQUIRE(backend);
  check_files(vendor, {"v", "z"});
}

TEST_CASE("The manifest and the list of samples describe the part's ports") {
  const KeepingVendor vendor;
  auto graph = forked_model().import();
  REQUIRE(graph);
  REQUIRE(offload_parts(*graph, vendor.options()));
  check_files(vendor, {"x"});
  const auto manifest = tools::read_json(vendor.path("kept/part.json"));
  REQUIRE(manifest);
  CHECK(manifest->text("format") == "nestrt vendor part");
  CHECK(manifest->text("unit") == "npu");
  CHECK(manifest->text("part") == "all");
  const auto inputs = manifest->objects("inputs"), outputs = manifest->objects("outputs");
  REQUIRE(inputs.size() == 1);
  CHECK(inputs[0].text("name") == "x");
  CHECK(inputs[0].text("type") == "f32");
  CHECK(inputs[0].text("layout") == "row-major");
  CHECK(inputs[0].numbers("shape") == std::vector<double>{1, 16, 4, 4});
  REQUIRE(outputs.size() == 1);
  CHECK(outputs[0].text("name") == "y");
  const auto list = tools::read_lines(vendor.path("kept/samples.txt"));
  REQUIRE(list);
  REQUIRE(list->lines().size() == kSamples);
  CHECK(list->lines()[1].ends_with("/calibration/x/00001.npy"));
  const auto archive = tools::read_file(vendor.path("kept/calibration.npz"));
  REQUIRE(archive);
  const std::string text(reinterpret_cast<const char*>(archive->data()), archive->size());
  CHECK(text.substr(30, 5) == "x.npy");
  CHECK_THAT(text, Contains("'shape': (3, 16, 4, 4)"));
}

TEST_CASE("A branch with an optional vendor program gets calibration data, whatever the layouts of the plan") {
  const KeepingVendor vendor;
  Capability capability;
  capability.name = "NPU";
  capability.types = {DataType::kF32};
  capability.operators["Conv"] = {};
  CompileOptions options;
  options.backends = {make_cpu_backend({})};
  std::vector<std::string> failures;
  options.backends.push_back(make_optional_vendor_backend(
      vendor.options(), capability,
      [&](const std::string&, const Status& why) { failures.push_back(why.to_string()); }));
  const auto plan = compile(vendor.model(), options);
  INFO(plan.error().to_string());
  REQUIRE(plan);
  CHECK(failures == std::vector<std::string>());
  check_files(vendor, {"u"});  // of the last branch, "b"
}

TEST_CASE("Calibration without samples or with unsuitable ones is an error") {
  const KeepingVendor vendor;
  VendorOptions options = vendor.options();
  const auto refusal = [&] {
    auto graph = forked_model().import();
    REQUIRE(graph);
    return offload_parts(*graph, options).error();
  };
  options.samples = {};
  CHECK(refusal().code() == Code::kInvalidArgument);
  const std::vector<float> wrong(5);
  REQUIRE(tools::write_npy(vendor.path("wrong.npy"), {DataType::kF32, {1, 5}, wrong.data()}).ok());
  options.samples.npy = vendor.path("wrong.npy");
  CHECK_THAT(std::string(refusal().message()), Contains("part 'all'") && Contains("for input 'x'"));
}

}  // namespace nestrt::compiler
