// SPDX-License-Identifier: Apache-2.0
#include "test/uio/uio_network.h"

#include <catch2/catch.hpp>

#include "test/boards/compared_network.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

int runs_started(UioBoard& board, int accelerators) {
  int runs = 0;
  for (int i = 0; i < accelerators; ++i) runs += board.stages(static_cast<size_t>(i)).runs_started();
  return runs;
}

}  // namespace

UioRuns check_plan_without_xrt(const std::shared_ptr<const Plan>& plan, UioBoardOptions options, uint32_t runs) {
  options.most_micro_ops = kAnyNumberOfMicroOps;
  options.pool_bytes = uint64_t{128} << 20;  // the size that docs/how-to/uio.md reserves
  options.pool_address = 0x60000000;
  UioBoard board(options);
  UnitList accelerators;
  for (int i = 0; i < options.accelerators; ++i) accelerators.push_back(open_uio_unit(uio_options(i)));
  const int before = runs_started(board, options.accelerators);
  UioRuns result;
  result.memory = check_same_as_host(plan, accelerators, runs);
  result.programs = runs_started(board, options.accelerators) - before;
  CHECK(result.programs >= static_cast<int>(runs));
  return result;
}

}  // namespace nestrt::boards
