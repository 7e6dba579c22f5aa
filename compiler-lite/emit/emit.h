// Emit: from the tables of a plan and its constants to the bytes of the file. Writes, decides nothing.
#pragma once

#include "compiler-lite/emit/assemble.h"
#include "compiler-lite/emit/plan_bytes.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// The plan is given up on the way: the file, and what verifying it takes, come into its place. Errors: kInternal where
// the file that came out fails its own verification.
Result<PlanBytes> emit(AssembledPlan plan);

}  // namespace nestrt::compiler
