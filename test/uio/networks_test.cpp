// SPDX-License-Identifier: Apache-2.0
// Tests that networks, quantized by nestc for CPU and EVTA and run without XRT, produce the same bytes as on the CPU
// alone.
#include <catch2/catch.hpp>

#include "test/boards/compared_network.h"
#include "test/support/example_files.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

void check_network_on(UioBoardOptions options, const std::shared_ptr<const Plan>& plan, uint32_t runs) {
  options.most_micro_ops = kAnyNumberOfMicroOps;
  options.pool_bytes = uint64_t{64} << 20;
  UioBoard board(options);
  UnitList accelerators;
  for (int i = 0; i < options.accelerators; ++i) accelerators.push_back(open_uio_unit(uio_options(i)));
  const int before = board.stages().runs_started();
  check_same_as_host(plan, accelerators, runs);
  CHECK(board.stages().runs_started() - before >= static_cast<int>(runs));
}

TEST_CASE("nest_squeeze produces the same results without XRT as on the CPU alone") {
  const auto plan = compile_quantized(nestrt::test::kDemoModel, 32);
  check_network_on({}, plan, 3);
  check_network_on({.is_coherent = true}, plan, 3);
  check_network_on({.accelerators = 2, .has_interrupt = false}, plan, 3);
}

TEST_CASE("ResNet-20 and SqueezeNet produce the same results without XRT as on the CPU alone") {
  const auto folder = test::shared_data("models");
  if (!folder) return;
  check_network_on({}, compile_quantized(*folder / "resnet20.onnx", 32), 2);
  if (test::test_level() != test::TestLevel::kQuick)
    check_network_on({}, compile_quantized(*folder / "squeezenet1.1.onnx", 224), 2);
}

}  // namespace
}  // namespace nestrt::boards
