// SPDX-License-Identifier: Apache-2.0
// Tests that networks, quantized by nestc for CPU and EVTA and run without XRT, produce the same bytes as on the CPU
// alone.
#include <catch2/catch.hpp>

#include "test/boards/compared_network.h"
#include "test/support/example_files.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"
#include "test/uio/uio_network.h"

namespace nestrt::boards {
namespace {

TEST_CASE("nest_squeeze produces the same results without XRT as on the CPU alone") {
  const auto plan = compile_quantized(nestrt::test::kDemoModel, 32);
  check_plan_without_xrt(plan, {}, 3);
  check_plan_without_xrt(plan, {.is_coherent = true}, 3);
  check_plan_without_xrt(plan, {.accelerators = 2, .has_interrupt = false}, 3);
}

TEST_CASE("ResNet-20 and SqueezeNet produce the same results without XRT as on the CPU alone") {
  const auto folder = test::shared_data("models");
  if (!folder) return;
  check_plan_without_xrt(compile_quantized(*folder / "resnet20.onnx", 32), {}, 2);
  if (test::test_level() != test::TestLevel::kQuick)
    check_plan_without_xrt(compile_quantized(*folder / "squeezenet1.1.onnx", 224), {}, 2);
}

}  // namespace
}  // namespace nestrt::boards
