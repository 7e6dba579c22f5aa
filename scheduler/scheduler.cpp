// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include "runtime/costs/unit_key.h"
#include "scheduler/multi_session/contention_aware.h"
#include "scheduler/problem/plan_problem.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/simulation/virtual_time.h"

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
    const Solved solved = solve_contention_aware(problem, options.others, options.method, options.budget);
    Schedule schedule = to_schedule(problem, solved.solution);
    schedule.lower_bound_us = solved.lower_bound_us;
    return schedule;
  }

  Result<SchedulePrediction> predict(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                     const Schedule& schedule) const override {
    NESTRT_ASSIGN_OR_RETURN(const Problem problem, make_problem(plan, units, costs));
    const ComputingSteps computing = computing_steps(plan, schedule);
    std::vector<double> computing_us;
    SchedulePrediction prediction;
    prediction.step_us.resize(schedule.steps.size(), 0);
    for (const uint32_t index : computing.original) {
      const Step& step = schedule.steps[index];
      const UnitKey unit = key_of(units[schedule.lanes[step.lane].unit], step.threads);
      NESTRT_ASSIGN_OR_RETURN(const WorkCost cost,
                              branch_cost(costs, plan, step.branch, step.program, unit, step.channels));
      computing_us.push_back(cost.microseconds);
      prediction.step_us[index] = cost.microseconds;
    }
    NESTRT_ASSIGN_OR_RETURN(const VirtualRun run, run_in_virtual_time(problem, computing.schedule, computing_us));
    prediction.makespan_us = run.makespan_us;
    return prediction;
  }
};

}  // namespace

const Scheduler& scheduler() {
  static const SearchScheduler instance;
  return instance;
}

}  // namespace nestrt::scheduler
