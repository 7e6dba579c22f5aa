// SPDX-License-Identifier: Apache-2.0
// Errors of plan files.
#pragma once

#include <string>

#include "nestrt/status.h"

namespace nestrt {

// Returns kInvalidPlan. `what` names the table, the index and the tensor or operator; the remedy is appended.
Status damaged_plan(std::string what);

// Converts a kInvalidModel error from an operator's rules to a plan error: nestc never writes a plan that breaks them.
Status as_plan_error(const Status& status);

}  // namespace nestrt
