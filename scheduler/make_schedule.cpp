#include "nestrt/schedule.h"
#include "runtime/session/file_order.h"
namespace nestrt {
Result<Schedule> make_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable&,
                               const ScheduleOptions&) { return file_order_schedule(plan, units); }
}
