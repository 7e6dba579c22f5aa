// SPDX-License-Identifier: Apache-2.0
// nestc explain for a plan: shows what each unit computes, according to the plan's programs.
#pragma once

#include <string>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"
#include "tools/support/page/page.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

// Prints a table per accelerator for which the plan has programs, adds it to `page`, and returns the results. Errors:
// kInvalidArgument if the plan has no such program.
Result<tools::Json> explain_plan(const plan::Tables& tables, tools::Page& page);

}  // namespace nestrt::compiler
