// Weights that the kernels for an instruction set read in place of an operator's own, packed as they want them.
#pragma once

#include "nestrt/plan.h"
#include "nestrt/status.h"

namespace nestrt::command {

// Whether they are the same numbers: else a plan computes something else on one CPU than on another. Errors:
// kInvalidPlan where they are not, or are shared beyond reason.
Status check_packed_weights(const Plan& plan);

}  // namespace nestrt::command
