// VirtualBoard: the units of a described board, with what a plan costs on them.
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

// What is other than the files say.
struct BoardChanges {
  double npu_clock_mhz = 0;               // 0: the board's
  double cpu_scale = 1;                   // a factor: all times of the CPU
  double hand_over_scale = 1;             // a factor: start_us, finish_us, lane_us, launch_us
  int threads = 0;                        // the CPU's; 0: as the board has
  int instances = 0;                      // each NPU's; 0: as the board has
  std::optional<double> memory_mb_per_s;  // 0: never short
  double waiting_scale = 1;               // a factor: awake_us and wake_us of all units
};

struct VirtualBoard {
  std::vector<UnitInfo> units;  // NPUs first, as in a session
  CostTable costs;
  scheduler::SharedResources shared;  // refers to the plan
  std::vector<uint32_t> estimated;    // operators whose cost on the CPU no profile has
};

// At which the plan means the times of its programs for a unit of that kind; 0: it does not say.
double stated_clock_mhz(const Plan& plan, std::string_view unit);

// `profile`: costs by work. Programs of instructions that it does not know cost what the plan says; at another clock
// than the plan was compiled for they take as many cycles. Operators that it does not know are estimated, where the
// board states by which rates. Overheads are the board's. A CPU whose instruction set the board does not state is the
// only one that the profile has.
// Errors: kNotFound where a program has no cost; kInvalidArgument where a clock is asked for and neither the board nor
// the plan states one, or it does not state the instruction set and the profile has none, or several; kInvalidPlan for
// an instruction stream that is none.
Result<VirtualBoard> make_virtual_board(const Plan& plan, const tools::Board& board, const CostTable& profile,
                                        const BoardChanges& changes = {});

// The names of those whose cost is an estimate.
std::vector<std::string> estimated_operators(const Plan& plan, const VirtualBoard& board);

}  // namespace nestrt::command
