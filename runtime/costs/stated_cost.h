// SPDX-License-Identifier: Apache-2.0
// The cost that a plan contains for one of its programs.
#pragma once

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Returns the most reliable of the program's costs in the plan, or null if the plan contains none.
const plan::Cost* stated_cost(const plan::Program& program);

// Returns the plan's assumption for a program without a cost, or null if there is no assumption.
const plan::Cost* guessed_cost(const plan::Program& program);

}  // namespace nestrt
