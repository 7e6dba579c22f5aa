// SPDX-License-Identifier: Apache-2.0
// nestc explain for a plan: shows the arithmetic of each operator, and what each unit computes according to the plan's
// programs.
#pragma once

#include <map>
#include <string>

#include "nestrt/driver/plan_tables.h"
#include "tools/support/page/page.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

// Prints the arithmetic of each operator with the reasons for f32, adds it to `page`, and returns it. `stated`: see
// tools::precisions().
tools::Json explain_precisions(const plan::Tables& tables, const std::map<std::string, std::string>& stated,
                               tools::Page& page);

// Also prints a table per accelerator for which the plan has programs, and adds it to `page`. Returns the results: one
// entry per accelerator, and one for all units together.
tools::Json explain_plan(const plan::Tables& tables, tools::Page& page);

}  // namespace nestrt::compiler
