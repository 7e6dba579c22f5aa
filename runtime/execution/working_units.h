// SPDX-License-Identifier: Apache-2.0
// Schedules that use only the working units of a session.
#pragma once

#include <cstdint>
#include <span>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

// Returns whether bit `unit` of the mask `failing` is set. Units with an index of 64 or more never count as failing.
inline bool is_failing(uint64_t failing, uint32_t unit) { return unit < 64 && (failing >> unit & 1) != 0; }

// Computes a schedule without failing units. Its lanes refer to units by their index in `units`. Errors: as for
// make_schedule().
Result<Schedule> schedule_for_working_units(const Plan& plan, std::span<const UnitInfo> units, uint64_t failing,
                                            const CostTable& costs, const ScheduleOptions& options);

}  // namespace nestrt
