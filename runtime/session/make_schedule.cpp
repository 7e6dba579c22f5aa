#include <algorithm>
#include <cmath>

#include "nestrt/schedule.h"
#include "nestrt/services.h"
#include "runtime/core/guard.h"
#include "runtime/session/file_order.h"

namespace nestrt {
namespace {

Result<const Scheduler*> find_scheduler() {
  if (services().scheduler != nullptr) return services().scheduler;
  return Status(Code::kUnsupported, "this library was built without a scheduler; it knows the plan's order only");
}

Status check_options(const ScheduleOptions& options) {
  const auto is_share = [](double share) { return std::isfinite(share) && share >= 0; };
  if (std::ranges::all_of(options.others, is_share)) return {};
  return Status(Code::kInvalidArgument,
                "ScheduleOptions::others has a number that is no share of a unit's time; give 0 or more for each unit");
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
    return scheduler->predict(plan, units, costs, schedule);
  });
}

}  // namespace nestrt
