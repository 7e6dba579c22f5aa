// SPDX-License-Identifier: Apache-2.0
// Errors of plan files.
#pragma once

#include <string>

#include "nestrt/status.h"

namespace nestrt {

// Returns kInvalidPlan. `what` names the table, the index and the tensor or operator; the remedy is appended.
Status damaged_plan(std::string what);

// Turns a kInvalidModel error of an operator's rules into one of the plan: nestc never writes a plan that breaks them.
Status as_plan_error(const Status& status);

}  // namespace nestrt
