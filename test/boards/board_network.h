// A network on the CPU and an emulated board together.
#pragma once

#include <memory>

#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "test/boards/emulation/evta_board.h"

namespace nestrt::boards {

struct BoardSetup {
  XclbinDescription xclbin;
  int instances = 1;         // of EVTA, those of the xclbin
  bool is_coherent = false;  // their port (Board::set_coherent())
};

struct BoardRuns {
  int programs = 0;      // of EVTA, in all runs
  SessionMemory memory;  // what the last run copied and handed over
};

// Fails the test where a run on CPU and board gives other bytes than one on the CPU alone, where the CPU had to heal
// something, or where the board computed nothing. Images are random, the same each time.
BoardRuns check_plan(const std::shared_ptr<const Plan>& plan, const BoardSetup& setup, uint32_t runs);

}  // namespace nestrt::boards
