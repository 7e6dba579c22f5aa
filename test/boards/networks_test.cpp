// SPDX-License-Identifier: Apache-2.0
// Tests that networks, quantized by nestc for CPU and EVTA and run through XRT, produce the same bytes as on the CPU
// alone.
#include <catch2/catch.hpp>
#include <random>

#include "test/boards/board_network.h"
#include "test/support/example_files.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"
#include "tools/support/text/npy.h"

namespace nestrt::boards {
namespace {

// Compiles the model in 8 bits. `extent`: height and width of the network's images.
std::shared_ptr<const Plan> compile(const std::string& model, int64_t extent) {
  const test::TemporaryFolder folder;
  const std::string samples = folder.path() + "/samples.npy", plan = folder.path() + "/model.nest";
  std::mt19937 random(1);
  std::vector<float> values(static_cast<size_t>(2 * 3 * extent * extent));
  for (float& value : values) value = static_cast<float>(random() % 256) - 128;
  REQUIRE(tools::write_npy(samples, {DataType::kF32, {2, 3, extent, extent}, values.data()}).ok());
  const test::ProgramResult result =
      test::run_program("nestc", {"compile", model, "-o", plan, "--quantize", "s8", "--calibrate", samples, "--target",
                                  "zcu102", "--tuning-cache", "none"});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  auto mapped = Plan::map(plan, Verification::kComplete);
  if (!mapped) FAIL(mapped.error().to_string());
  return *mapped;
}

void check_network(const std::string& model, int64_t extent, const XclbinDescription& xclbin) {
  INFO(model);
  check_plan(compile(model, extent), {xclbin}, 3);
}

TEST_CASE("nest_squeeze produces the same results on CPU and board together as on the CPU alone") {
  const std::string model = nestrt::test::kDemoModel;
  check_network(model, 32, kernel_xclbin());
}

TEST_CASE("Two compute units with separate banks produce the CPU's results, with copies between their banks") {
  const std::string model = nestrt::test::kDemoModel;
  const auto plan = compile(model, 32);
  const BoardRuns one = check_plan(plan, {kernel_xclbin()}, 2), two = check_plan(plan, {kernel_xclbin(), 2}, 2);
  CHECK(two.memory.copied_bytes > one.memory.copied_bytes);
}

TEST_CASE("nest_squeeze produces the same results on the four stages as on the CPU alone") {
  const std::string model = nestrt::test::kDemoModel;
  check_network(model, 32, stages_xclbin());
}

TEST_CASE("ResNet-20 and SqueezeNet produce the same results on CPU and board together as on the CPU alone") {
  const auto folder = test::shared_data("models");
  if (!folder) return;
  check_network(*folder / "resnet20.onnx", 32, kernel_xclbin());
  if (test::test_level() != test::TestLevel::kQuick)
    check_network(*folder / "squeezenet1.1.onnx", 224, kernel_xclbin());
}

}  // namespace
}  // namespace nestrt::boards
