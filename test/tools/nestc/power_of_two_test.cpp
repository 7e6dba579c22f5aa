// SPDX-License-Identifier: Apache-2.0
// Tests networks whose scales are powers of two, in the forms of AMD Quark's XINT8: CPU, simulated EVTA and ONNX
// Runtime produce the same bytes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "compiler-lite/process/process.h"
#include "test/compiler-lite/check/existing_python.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/test_level.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

constexpr const char* kEvtaTarget = "cpu,evta:1x16_15_15_18_17";
constexpr int kBatch = 8;

std::string in_scripts(const std::string& name) { return std::string(NESTRT_SOURCE_DIR) + "/script/lib/" + name; }

void run_python(const std::vector<std::string>& command, const TemporaryFolder& folder) {
  const auto process = compiler::run_process(command, folder.path());
  INFO(process.error().to_string());
  REQUIRE(process);
  INFO(process->output);
  REQUIRE(process->exit_code == 0);
}

void require_success(const ProgramResult& result) {
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
}

std::vector<std::string> sorted_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

tools::Array random_images(uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> pixel(-3, 3);
  tools::Array images{DataType::kF32, {kBatch, 3, 32, 32}, {}};
  images.bytes.resize(static_cast<size_t>(images.shape.num_elements()) * sizeof(float));
  auto* pixels = reinterpret_cast<float*>(images.bytes.data());
  for (int64_t i = 0; i < images.shape.num_elements(); ++i) pixels[i] = pixel(generator);
  return images;
}

std::vector<std::byte> bytes_of(const std::string& file) {
  const auto array = tools::read_npy(file);
  INFO(file << ": " << array.error().to_string());
  REQUIRE(array);
  return array->bytes;
}

void check_network(const std::string& python, const std::string& model, const TemporaryFolder& folder) {
  INFO(model);
  const auto path = [&](const char* name) { return folder.path() + "/" + name; };
  const std::string plan = path("plan.nest"), image = path("image.npy");
  const std::string shape = "image=" + std::to_string(kBatch) + ",3,32,32";
  require_success(
      run_program("nestc", {"compile", model, "-o", plan, "--target", kEvtaTarget, "--input-shape", shape}));
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(by_level(1, 4, 100)); ++seed) {
    REQUIRE(tools::write_npy(image, random_images(seed).view()).ok());
    run_python({python, in_scripts("ort_batch.py"), model, image, path("expected.npy")}, folder);
    const std::vector<std::byte> expected = bytes_of(path("expected.npy"));
    for (const char* units : {"cpu", "cpu,evta:sim"}) {
      require_success(run_program("nestrt", {"run", plan, "--units", units, "--schedule", "file-order", "--input",
                                             "image=" + image, "--output", path("results")}));
      CHECK(bytes_of(path("results/scores.npy")) == expected);
    }
  }
}

}  // namespace

TEST_CASE("Networks with power-of-two scales produce ONNX Runtime's bytes on every unit") {
  const std::string python = existing_python();
  if (python.empty()) return;
  const TemporaryFolder models, work;
  run_python({python, in_scripts("power_of_two_networks.py"), models.path()}, work);
  const std::vector<std::string> files = sorted_files(models.path());
  REQUIRE(files.size() == 4);
  for (const std::string& model : files) check_network(python, model, work);
}

}  // namespace nestrt::test
