#include "scheduler/scheduler.h"

#include "scheduler/plan_problem.h"
#include "scheduler/schedule_steps.h"
#include "scheduler/solve.h"

namespace nestrt::scheduler {
namespace {

class SearchScheduler final : public Scheduler {
 public:
  Result<Schedule> make(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                        const ScheduleOptions& options) const override {
    const bool all_choices = options.method == ScheduleMethod::kOptimum;
    NESTRT_ASSIGN_OR_RETURN(const Problem problem,
                            make_problem(plan, units, costs,
                                         {.split_channels = all_choices && options.split_channels,
                                          .share_cores = all_choices && options.share_cores}));
    const Solved solved = solve(problem, options.method, options.budget);
    Schedule schedule = to_schedule(problem, solved.solution);
    schedule.lower_bound_us = solved.lower_bound_us;
    return schedule;
  }
};

}  // namespace

const Scheduler& scheduler() {
  static const SearchScheduler instance;
  return instance;
}

}  // namespace nestrt::scheduler
