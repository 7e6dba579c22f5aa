// SPDX-License-Identifier: Apache-2.0
// Tests that networks, quantized by nestc for CPU and EVTA and run through XRT, produce the same bytes as on the CPU
// alone.
#include <catch2/catch.hpp>

#include "test/boards/board_network.h"
#include "test/boards/compared_network.h"
#include "test/support/example_files.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"

namespace nestrt::boards {
namespace {

void check_network(const std::string& model, int64_t extent, const XclbinDescription& xclbin) {
  INFO(model);
  check_plan(compile_quantized(model, extent), {xclbin}, 3);
}

TEST_CASE("nest_squeeze produces the same results on CPU and board together as on the CPU alone") {
  const std::string model = nestrt::test::kDemoModel;
  check_network(model, 32, kernel_xclbin());
}

TEST_CASE("Two compute units with separate banks produce the CPU's results, with copies between their banks") {
  const std::string model = nestrt::test::kDemoModel;
  const auto plan = compile_quantized(model, 32);
  const BoardRuns one = check_plan(plan, {kernel_xclbin()}, 2), two = check_plan(plan, {kernel_xclbin(), 2}, 2);
  CHECK(two.memory.copied_bytes > one.memory.copied_bytes);
}

TEST_CASE("nest_squeeze produces the same results on the four stages as on the CPU alone") {
  const std::string model = nestrt::test::kDemoModel;
  check_network(model, 32, stages_xclbin());
}

TEST_CASE("nest_squeeze produces the same results on two user-managed kernels as on the CPU alone") {
  const std::string model = nestrt::test::kDemoModel;
  check_plan(compile_quantized(model, 32), {user_managed_xclbin(), 2}, 3);
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
