#include "nestrt/schedule.h"
#include "runtime/core/guard.h"
#include "runtime/session/file_order.h"
#include "scheduler/plan_problem.h"
#include "scheduler/schedule_steps.h"
#include "scheduler/solve.h"

namespace nestrt {

Result<Schedule> make_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                               const ScheduleOptions& options) {
  return guarded([&]() -> Result<Schedule> {
    if (options.method == ScheduleMethod::kFileOrder) return file_order_schedule(plan, units);
    const bool all_choices = options.method == ScheduleMethod::kOptimum;
    NESTRT_ASSIGN_OR_RETURN(const scheduler::Problem problem,
                            scheduler::make_problem(plan, units, costs,
                                                    {.split_channels = all_choices && options.split_channels,
                                                     .share_cores = all_choices && options.share_cores}));
    const scheduler::Solved solved = scheduler::solve(problem, options.method, options.budget);
    Schedule schedule = scheduler::to_schedule(problem, solved.solution);
    schedule.lower_bound_us = solved.lower_bound_us;
    return schedule;
  });
}

}  // namespace nestrt
