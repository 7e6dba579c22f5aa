// nestc explain of a plan alone: what its units compute of it, by the programs that it holds.
#pragma once

#include <string>

#include "nestrt/plan_tables.h"
#include "nestrt/result.h"
#include "tools/common/json.h"

namespace nestrt::compiler {

// Prints a table for each unit beside the CPU that the plan has programs for, and returns the same.
// Errors: kInvalidArgument where it has none.
Result<tools::Json> explain_plan(const plan::Tables& tables);

}  // namespace nestrt::compiler
