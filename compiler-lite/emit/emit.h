// Emit: from the tables of a plan and its constants to the bytes of the file. Writes, decides nothing.
#pragma once

#include <functional>

#include "compiler-lite/emit/assemble.h"
#include "compiler-lite/emit/plan_bytes.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Told of the plan as it came out, completes its tables by what only a plan can be asked: it is written again then.
using Complete = std::function<void(const Plan& plan, plan::Tables& tables)>;

// The plan is given up on the way: the file, and what verifying it takes, come into its place. `complete` may be empty.
// Errors: kInternal where the file that came out fails its own verification.
Result<PlanBytes> emit(AssembledPlan plan, const Complete& complete = {});

}  // namespace nestrt::compiler
