// nestc explain of a plan alone: what its units compute of it, by the programs that it holds.
#pragma once

#include <string>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"
#include "tools/support/page/page.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

// Prints a table for each unit beside the CPU that the plan has programs for, adds the same to `page`, and returns it.
// Errors: kInvalidArgument where it has none.
Result<tools::Json> explain_plan(const plan::Tables& tables, tools::Page& page);

}  // namespace nestrt::compiler
