// Small plans that many tests run.
#pragma once

#include "test/support/plan_builder.h"

namespace nestrt::test {

// y = relu(x), 2x3.
PlanBuilder relu_plan();
// y = relu(x) + c * x in two branches with a join, 2x8, with a constant and two buffers in the arena.
PlanBuilder branches_plan();
// whole = concat(relu(x), neg(x)), in place; y = 2 * whole, reshaped in place to 8x1; z = abs of its last 3, sliced in
// place.
PlanBuilder views_plan();

}  // namespace nestrt::test
