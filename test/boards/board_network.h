// SPDX-License-Identifier: Apache-2.0
// Runs a network on the CPU and an emulated board together.
#pragma once

#include <memory>

#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "test/boards/emulation/evta_board.h"

namespace nestrt::boards {

struct BoardSetup {
  XclbinDescription xclbin;
  int instances = 1;         // EVTA instances in the xclbin
  bool is_coherent = false;  // whether their port is coherent (Board::set_coherent())
};

struct BoardRuns {
  int programs = 0;      // EVTA programs in all runs
  SessionMemory memory;  // of the last run
};

// Fails the test if a run on CPU and board differs from one on the CPU alone, if a host fallback occurred, or if the
// board computed nothing. Images are random with a fixed seed.
BoardRuns check_plan(const std::shared_ptr<const Plan>& plan, const BoardSetup& setup, uint32_t runs);

}  // namespace nestrt::boards
