// SPDX-License-Identifier: Apache-2.0
// Checks of the arguments from which a session is created.
#pragma once

#include "nestrt/session.h"

namespace nestrt {

// Errors: kInvalidArgument for options, and for units that are missing, null or not distinct; kInvalidPlan if the plan
// is not signed with one of SessionOptions::trusted_keys. Logs a warning for each unit for which the plan has no
// program.
Status check_session(const Plan& plan, const UnitList& units, const SessionOptions& options);

}  // namespace nestrt
