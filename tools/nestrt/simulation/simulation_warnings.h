// SPDX-License-Identifier: Apache-2.0
// Warnings (nestrt/log.h) about figures of nestrt simulate that may mislead.
#pragma once

#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/plan.h"
#include "tools/support/board/board.h"

namespace nestrt::command {

// Warns once, under the plan's path, in these cases:
// - The plan has no program for a unit of the board: the figures are those of the CPU alone.
// - The plan's kernels were selected for other processors. The board would select others, and the costs ignore that.
// - The plan of an older nestc, or the profile, does not specify the clock of an accelerator's times, which are then
// assumed to be at the board's clock.
void warn_of_plan(const Plan& plan, const std::string& path, const CostTable& profile, const tools::Board& board);

// Warns if the profile has costs of other processors but none of the board's.
void warn_of_other_processors(const CostTable& profile, const tools::Board& board);

}  // namespace nestrt::command
