// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "runtime/adaptation/file_order.h"
#include "runtime/core/services.h"
#include "runtime/execution/check_options.h"
#include "runtime/execution/check_schedule.h"
#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

Result<const Scheduler*> find_scheduler() {
  if (services().scheduler != nullptr) return services().scheduler;
  return Status(Code::kUnsupported, "this library was built without a scheduler and only supports the plan's order");
}

}  // namespace

Result<Schedule> make_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                               const ScheduleOptions& options) {
  return guarded([&]() -> Result<Schedule> {
    NESTRT_RETURN_IF_ERROR(check_options(options));
    if (options.method == ScheduleMethod::kFileOrder) return file_order_schedule(plan, units);
    NESTRT_ASSIGN_OR_RETURN(const Scheduler* const scheduler, find_scheduler());
    return scheduler->make(plan, units, costs, options);
  });
}

Result<SchedulePrediction> predict_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                            const Schedule& schedule) {
  return guarded([&]() -> Result<SchedulePrediction> {
    NESTRT_ASSIGN_OR_RETURN(const Scheduler* const scheduler, find_scheduler());
    NESTRT_RETURN_IF_ERROR(check_schedule(plan, units, schedule));
    return scheduler->predict(plan, units, costs, schedule);
  });
}

}  // namespace nestrt
