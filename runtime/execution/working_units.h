// A schedule for those of a session's units that work.
#pragma once

#include <cstdint>
#include <span>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

// `failing`: bit u stands for unit u, if it is one of the first 64; later ones always work.
inline bool is_failing(uint64_t failing, uint32_t unit) { return unit < 64 && (failing >> unit & 1) != 0; }

// Its lanes are of units by their place in `units`, none of a unit that is failing. Errors: those of make_schedule().
Result<Schedule> schedule_for_working_units(const Plan& plan, std::span<const UnitInfo> units, uint64_t failing,
                                            const CostTable& costs, const ScheduleOptions& options);

}  // namespace nestrt
