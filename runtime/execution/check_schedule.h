// SPDX-License-Identifier: Apache-2.0
// Checks of schedules.
#pragma once

#include <span>

#include "nestrt/driver/schedule.h"

#include "nestrt/driver/unit.h"

namespace nestrt {

// Checks that a session can run the schedule: every branch that computes something is computed completely and exactly
// once, by programs that its units can run, after everything that it reads. Steps wait only for earlier steps.
// Requires: a verified plan. Errors: kInvalidArgument, which names the step.
Status check_schedule(const Plan& plan, std::span<const UnitInfo> units, const Schedule& schedule);

// Returns whether each step follows the previous one in the plan's order, so that nothing runs concurrently.
bool is_file_order(const Schedule& schedule);

}  // namespace nestrt
