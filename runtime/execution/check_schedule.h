// Whether a session can run a schedule.
#pragma once

#include <span>

#include "nestrt/driver/schedule.h"

#include "nestrt/driver/unit.h"

namespace nestrt {

// Every branch that computes something is computed completely and once, by programs that its units can run, after all
// that it reads; steps wait for earlier ones only, and nothing runs side by side that needs one another.
// Requires: a verified plan. Errors: kInvalidArgument, with the step.
Status check_schedule(const Plan& plan, std::span<const UnitInfo> units, const Schedule& schedule);

// Whether each step follows the one before it, in the plan's order, so that nothing runs side by side.
bool is_file_order(const Schedule& schedule);

}  // namespace nestrt
