// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/working_units.h"

#include <vector>

namespace nestrt {

Result<Schedule> schedule_for_working_units(const Plan& plan, std::span<const UnitInfo> units, uint64_t failing,
                                            const CostTable& costs, const ScheduleOptions& options) {
  std::vector<UnitInfo> working;
  std::vector<uint32_t> position;
  ScheduleOptions of_working = options;
  of_working.others.clear();
  for (uint32_t unit = 0; unit < units.size(); ++unit) {
    if (is_failing(failing, unit)) continue;
    working.push_back(units[unit]);
    position.push_back(unit);
    if (unit < options.others.size()) of_working.others.push_back(options.others[unit]);
  }
  NESTRT_ASSIGN_OR_RETURN(Schedule schedule, make_schedule(plan, working, costs, of_working));
  for (Lane& lane : schedule.lanes) lane.unit = position[lane.unit];
  return schedule;
}

}  // namespace nestrt
