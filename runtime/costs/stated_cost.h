// What a plan says that one of its programs costs.
#pragma once

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Of several costs the most certain. Null where the plan says none.
const plan::Cost* stated_cost(const plan::Program& program);

// What it supposes, of a program of which nobody has stated anything. Null where it supposes nothing.
const plan::Cost* guessed_cost(const plan::Program& program);

}  // namespace nestrt
