// A schedule for those of a session's units that work.
#pragma once

#include "nestrt/costs.h"
#include "nestrt/plan.h"
#include "nestrt/schedule.h"
#include "nestrt/unit.h"
#include "runtime/session/unit_health.h"

namespace nestrt {

// Its lanes are of units by their place in `units`, none of a unit that is failing. Errors: those of make_schedule().
Result<Schedule> schedule_for_working_units(const Plan& plan, const UnitList& units, const UnitHealth& health,
                                            const CostTable& costs, const ScheduleOptions& options);

}  // namespace nestrt
