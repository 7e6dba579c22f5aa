// One of the shapes that a plan for inputs of several shapes has, as `--shape` names it.
#pragma once

#include <memory>

#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::tools {

// The plan of that shape alone. `shape`: counted from 1; 0: the first. Errors: kInvalidArgument where the plan has no
// such shape.
Result<std::shared_ptr<const Plan>> plan_of_shape(std::shared_ptr<const Plan> plan, int shape);

}  // namespace nestrt::tools
