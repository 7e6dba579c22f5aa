// What makes the figures of nestrt simulate others than they seem to be; said once, as warnings (nestrt/log.h).
#pragma once

#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/plan.h"
#include "tools/support/board/board.h"

namespace nestrt::command {

// Of a plan, which is called by its path. The board has a unit for which it has no program: the figures are then the
// CPU's alone. Its kernels were chosen for other processors than the board's, which chooses its own: costs are of the
// former. And of accelerators, times of no stated clock are taken for the board's: those of a plan of an older nestc,
// and what was measured without a word of it, as far as the plan gives a reason to doubt it.
void warn_of_plan(const Plan& plan, const std::string& path, const CostTable& profile, const tools::Board& board);

// The profile has costs of other processors than the board's, and none of that.
void warn_of_other_processors(const CostTable& profile, const tools::Board& board);

}  // namespace nestrt::command
