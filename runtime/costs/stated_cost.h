// What a plan says that one of its programs costs.
#pragma once

#include "nestrt/plan_tables.h"

namespace nestrt {

// Of several costs the most certain. Null where the plan says none.
const plan::Cost* stated_cost(const plan::Program& program);

}  // namespace nestrt
