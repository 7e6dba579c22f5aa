// SPDX-License-Identifier: Apache-2.0
// The cost that a plan states for one of its programs.
#pragma once

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Returns the most reliable of several costs, or null if the plan states none.
const plan::Cost* stated_cost(const plan::Program& program);

// Returns the plan's assumption for a program without a stated cost, or null if there is no assumption.
const plan::Cost* guessed_cost(const plan::Program& program);

}  // namespace nestrt
