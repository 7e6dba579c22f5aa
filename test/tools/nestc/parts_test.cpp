// SPDX-License-Identifier: Apache-2.0
// Tests nestc partition, join, check --parts and export on the command line.
#include <catch2/catch.hpp>
#include <filesystem>

#include "test/compiler-lite/check/existing_python.h"
#include "test/support/example_files.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/nest_c/nest_c_partition.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kNoModel = NESTRT_SOURCE_DIR "/LICENSE";
constexpr const char* kImages = NESTRT_SOURCE_DIR "/examples/images";

void check_output(const ProgramResult& result, int exit_code, const std::string& part) {
  INFO(result.text);
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.text, Contains(part));
}

struct Workshop {
  TemporaryFolder folder;

  std::string path(const std::string& name) const { return folder.path() + "/" + name; }
  ProgramResult partition(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"partition", kDemoModel, "--output-dir", path("parts")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("nestc", arguments);
  }
  std::string manifest() const { return path("parts/manifest.json"); }
};

}  // namespace

TEST_CASE("nestc partition writes one file per part, and nestc join restores the model") {
  const Workshop workshop;
  const std::string plan = workshop.folder.write_text(
      "parts.yaml", "parts:\n- {name: stem, backend: NPU, operators: [conv1, conv1_relu]}\n");
  check_output(workshop.partition({"--plan", plan}), 0, "stem");
  CHECK(std::filesystem::exists(workshop.path("parts/stem.onnx")));
  CHECK(std::filesystem::exists(workshop.path("parts/rest0.onnx")));
  check_output(
      run_program("nestc", {"join", workshop.manifest(), "-o", workshop.path("joined.onnx"), "--against", kDemoModel}),
      0, "the parts form the complete model");
  check_output(run_program("nestc", {"join", workshop.manifest(), "-o", workshop.path("parts/stem.onnx")}), 2,
               "would overwrite the input");
}

TEST_CASE("nestc join reports parts that belong to another model") {
  const Workshop workshop;
  check_output(workshop.partition({}), 0, "all");
  check_output(workshop.partition({"--batch-norm", "fold", "--opset", "17"}), 0, "all");
  const std::string other = workshop.path("other.onnx");
  check_output(run_program("nestc", {"export", kDemoModel, "-o", other}), 0, "opset 13");
  check_output(
      run_program("nestc", {"join", workshop.manifest(), "-o", workshop.path("joined.onnx"), "--against", kNoModel}), 2,
      "LICENSE");
}

TEST_CASE("nestc partition writes a model's operators as a NEST-C plan that can divide it") {
  const Workshop workshop;
  const std::string names = workshop.path("names.yaml");
  check_output(run_program("nestc", {"partition", kDemoModel, "-o", names}), 0, "");
  const auto plan = tools::read_nest_c_partition(names);
  REQUIRE(plan);
  CHECK(plan->nodes.size() == 51);
  check_output(workshop.partition({"--plan", names}), 0, "p0");
}

TEST_CASE("A capability file divides a model, and every remaining operator has a reason") {
  const Workshop workshop;
  const std::string npu = workshop.folder.write_text(
      "npu.yaml", "name: NPU\noperators: {Conv: , Relu: , Concat: }\nregion: {min_operators: 3}\n");
  const ProgramResult result = workshop.partition({"--capability", npu});
  check_output(result, 0, "NPU does not support MaxPool");
  CHECK_THAT(result.text, Contains("vendor0"));
  check_output(
      run_program("nestc", {"join", workshop.manifest(), "-o", workshop.path("joined.onnx"), "--against", kDemoModel}),
      0, "the parts form the complete model");
}

TEST_CASE("nestc check --parts passes for correct parts and fails beyond the tolerance") {
  const std::string python = existing_python();
  if (python.empty()) return;
  const Workshop workshop;
  check_output(workshop.partition({}), 0, "all");
  const std::vector<std::string> arguments = {"check", kDemoModel, "--parts", workshop.manifest(), "--python",
                                              python,  "--images", kImages,   "--limit",           "2"};
  check_output(run_program("nestc", arguments), 0,
               "over 3 inputs the parts match the model in ONNX Runtime within 1e-05");
  check_output(
      run_program("nestc", {"check", kDemoModel, "--parts", workshop.manifest(), "--python", "/no/such/python"}), 2,
      "--python");
}

TEST_CASE("Commands for parts report what is wrong with options and files") {
  const Workshop workshop;
  const std::string yaml = workshop.path("x.yaml");
  check_output(run_program("nestc", {"partition", kDemoModel}), 2, "either -o FILE.yaml or --output-dir DIR");
  check_output(run_program("nestc", {"partition", kDemoModel, "-o", yaml, "--units", "cpu"}), 2,
               "--units cannot be combined with");
  check_output(workshop.partition({"--units", "cpu"}), 2, "--units is for a plan");
  check_output(workshop.partition({"--plan", workshop.path("missing.yaml")}), 2, "missing.yaml");
  const std::string plan =
      workshop.folder.write_text("outer.yaml", "parts:\n- {name: outer, operators: [conv1, pool1]}\n");
  check_output(workshop.partition({"--plan", plan}), 2, "part 'outer' is not convex");
  CHECK_FALSE(std::filesystem::exists(workshop.path("parts")));
  check_output(workshop.partition({"--opset", "12"}), 2, "--opset");
  check_output(run_program("nestc", {"check", kDemoModel}), 2, "expected either a plan, or --parts with");
  check_output(run_program("nestc", {"check", kDemoModel, "--parts", workshop.path("missing.json")}), 2,
               "missing.json");
  check_output(run_program("nestc", {"join", workshop.path("missing.json"), "-o", workshop.path("y.onnx")}), 2,
               "missing.json");
  check_output(run_program("nestc", {"export", kDemoModel, "-o", kDemoModel}), 2, "");
}

TEST_CASE("An exported model computes the same results, also quantized") {
  const Workshop workshop;
  const std::string qdq = workshop.path("qdq.onnx"), plan = workshop.path("qdq.nest");
  check_output(run_program("nestc", {"export", kDemoModel, "--quantize", "s8", "--calibrate", kImages,
                                     "--calibration-limit", "4", "-o", qdq}),
               0, "opset 13");
  check_output(run_program("nestc", {"compile", qdq, "-o", plan}), 0, "operators");
  // The model's metadata specifies its rounding, so its placement equals the original's. It cannot be quantized again.
  check_output(run_program("nestc", {"explain", qdq, "--target", "zcu102"}), 0, "100.0% of the multiplications");
  check_output(run_program("nestc", {"compile", qdq, "-o", plan, "--quantize", "s8", "--calibrate", kImages}), 2,
               "the model is already quantized");
}

TEST_CASE("A missing model is reported before other errors") {
  check_output(run_program("nestc", {"explain", "absent.onnx"}), 2, "absent.onnx");
}

}  // namespace nestrt::test
