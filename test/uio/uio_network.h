// SPDX-License-Identifier: Apache-2.0
// Runs a network on the CPU together with an emulated board without XRT.
#pragma once

#include <memory>

#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "test/uio/emulation/uio_board.h"

namespace nestrt::boards {

struct UioRuns {
  int programs = 0;      // EVTA programs in all runs, of all accelerators
  SessionMemory memory;  // copied and shared by the last run
};

// Fails the test if a run on CPU and board differs from one on the CPU alone, if a host fallback occurred, or if the
// board computed nothing. Images are random with a fixed seed. The board has all accelerators of `options`, enough
// memory for a network, and no limit on micro-ops.
UioRuns check_plan_without_xrt(const std::shared_ptr<const Plan>& plan, UioBoardOptions options, uint32_t runs);

}  // namespace nestrt::boards
