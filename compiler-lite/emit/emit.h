// Emit: from the tables of a plan and its constants to the bytes of the file. Writes, decides nothing.
#pragma once

#include "compiler-lite/emit/assemble.h"
#include "compiler-lite/emit/plan_bytes.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Errors: kInternal where the plan that came out fails its own verification.
Result<PlanBytes> emit(const AssembledPlan& plan);

}  // namespace nestrt::compiler
