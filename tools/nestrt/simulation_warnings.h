// What makes the figures of nestrt simulate others than they seem to be; said once, as warnings (nestrt/log.h).
#pragma once

#include "nestrt/costs.h"
#include "nestrt/plan.h"
#include "tools/common/board.h"

namespace nestrt::command {

// The board has a unit for which the plan has no program: the figures are then the CPU's alone.
void warn_of_idle_units(const Plan& plan, const tools::Board& board);

// The plan's kernels were chosen for other processors than the board's, which chooses its own: costs are of the former.
void warn_of_other_kernels(const Plan& plan, const tools::Board& board);

// Of accelerators, times of no stated clock are taken for the board's: those of a plan of an older nestc, and what was
// measured without a word of it, as far as the plan gives a reason to doubt it.
void warn_of_unknown_clocks(const Plan& plan, const CostTable& profile, const tools::Board& board);

// The profile has costs of other processors than the board's, and none of that.
void warn_of_other_processors(const CostTable& profile, const tools::Board& board);

}  // namespace nestrt::command
