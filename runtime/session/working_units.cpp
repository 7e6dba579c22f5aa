#include "runtime/session/working_units.h"

#include <vector>

namespace nestrt {

Result<Schedule> schedule_for_working_units(const Plan& plan, std::span<const UnitInfo> units, uint64_t failing,
                                            const CostTable& costs, const ScheduleOptions& options) {
  std::vector<UnitInfo> working;
  std::vector<uint32_t> position;
  for (uint32_t unit = 0; unit < units.size(); ++unit) {
    if (is_failing(failing, unit)) continue;
    working.push_back(units[unit]);
    position.push_back(unit);
  }
  NESTRT_ASSIGN_OR_RETURN(Schedule schedule, make_schedule(plan, working, costs, options));
  for (Lane& lane : schedule.lanes) lane.unit = position[lane.unit];
  return schedule;
}

}  // namespace nestrt
