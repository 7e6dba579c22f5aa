// SPDX-License-Identifier: Apache-2.0
// VirtualBoard: the units of a simulated board with the costs of a plan.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "scheduler/problem/plan_problem.h"
#include "tools/support/board/board.h"

namespace nestrt::command {

// Values that override those of the board file and the profiles.
struct BoardOverrides {
  double npu_clock_mhz = 0;               // 0: the board's
  double cpu_scale = 1;                   // factor for all CPU times
  double transfer_scale = 1;              // factor for start_us, finish_us, lane_us and launch_us
  int threads = 0;                        // of the CPU; 0: the board's
  int instances = 0;                      // of each NPU; 0: the board's
  std::optional<double> memory_mb_per_s;  // 0: unlimited
  double wait_scale = 1;                  // factor for awake_us and wake_us of all units
};

struct VirtualBoard {
  std::vector<UnitInfo> units;  // NPUs first, as in a session
  CostTable costs;
  scheduler::SharedResources shared;  // refers to the plan
  std::vector<uint32_t> estimated;    // operators whose CPU cost is not in a profile
};

// Returns the clock to which the plan's program times for this kind of unit refer; 0 if unknown.
double stated_clock_mhz(const Plan& plan, std::string_view unit);

// Creates the units and their costs. `profile` has costs by work.
// Instruction programs that the profile lacks have the plan's cost; at another clock than the plan's they
// need the same number of cycles. Missing operators are estimated if the board specifies rates. Overheads are the
// board's. If the board does not specify the CPU's instruction set, the profile's only instruction set is used.
// Errors: kNotFound if a program has no cost; kInvalidArgument if a clock is requested but neither the board nor the
// plan specifies one, or if the instruction set is unknown because the profile has none or several; kInvalidPlan for an
// invalid instruction stream.
Result<VirtualBoard> make_virtual_board(const Plan& plan, const tools::Board& board, const CostTable& profile,
                                        const BoardOverrides& changes = {});

// Returns the names of the operators whose cost is an estimate.
std::vector<std::string> estimated_operators(const Plan& plan, const VirtualBoard& board);

}  // namespace nestrt::command
