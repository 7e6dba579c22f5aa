#include "nestrt/schedule.h"
#include "nestrt/services.h"
#include "runtime/core/guard.h"
#include "runtime/session/file_order.h"

namespace nestrt {

Result<Schedule> make_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                               const ScheduleOptions& options) {
  return guarded([&]() -> Result<Schedule> {
    if (options.method == ScheduleMethod::kFileOrder) return file_order_schedule(plan, units);
    const Scheduler* const scheduler = services().scheduler;
    if (scheduler == nullptr)
      return Status(Code::kUnsupported, "this library was built without a scheduler; it knows the plan's order only");
    return scheduler->make(plan, units, costs, options);
  });
}

}  // namespace nestrt
