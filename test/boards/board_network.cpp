// SPDX-License-Identifier: Apache-2.0
#include "test/boards/board_network.h"

#include <catch2/catch.hpp>

#include "test/boards/compared_network.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {

BoardRuns check_plan(const std::shared_ptr<const Plan>& plan, const BoardSetup& setup, uint32_t runs) {
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration(), kAnyNumberOfMicroOps);
  board.set_coherent(setup.is_coherent);
  UnitList accelerators;
  evta::XrtOptions options = options_for(setup.xclbin);
  for (options.instance = 0; options.instance < setup.instances; ++options.instance)
    accelerators.push_back(open_unit(options, evta::test::stock_configuration(), options.instance));
  const int before = board.runs_started();
  const SessionMemory memory = check_same_as_host(plan, accelerators, runs);
  const int programs = board.runs_started() - before;
  CHECK(programs >= static_cast<int>(runs));
  return {programs, memory};
}

}  // namespace nestrt::boards
