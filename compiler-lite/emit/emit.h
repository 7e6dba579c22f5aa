// SPDX-License-Identifier: Apache-2.0
// Emit: writes the bytes of a plan file from the tables and constants. Makes no decisions.
#pragma once

#include <functional>

#include "compiler-lite/emit/assemble.h"
#include "compiler-lite/emit/plan_bytes.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Receives the emitted plan and completes its tables with values that require a complete plan. The plan is then written
// again.
using Complete = std::function<void(const Plan& plan, plan::Tables& tables)>;

// Consumes `plan` to free its memory for the file and its verification. `complete` may be empty. Errors: kInternal if
// the resulting file fails verification.
Result<PlanBytes> emit(AssembledPlan plan, const Complete& complete = {});

}  // namespace nestrt::compiler
