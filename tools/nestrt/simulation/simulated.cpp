// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/simulation/simulated.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "scheduler/problem/restriction.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/solve.h"

namespace nestrt::command {

uint32_t count_npu_branches(const scheduler::Problem& problem, const Schedule& schedule) {
  std::set<uint32_t> branches;
  for (const Step& step : schedule.steps)
    if (!problem.units[schedule.lanes[step.lane].unit].is_host) branches.insert(step.branch);
  return static_cast<uint32_t>(branches.size());
}

namespace {

// Returns the best solution for all accelerators and for fewer of them, with and without divided branches. The costs of
// waiting and of memory are added to each solution afterwards.
scheduler::Solved solve(const scheduler::Problem& problem, ScheduleMethod method, std::chrono::milliseconds budget) {
  scheduler::Solved best = scheduler::solve(problem, method, budget);
  const auto consider = [&](const scheduler::Restriction& fewer) {
    scheduler::Solved solved = scheduler::solve(fewer.problem(), method, budget);
    if (solved.solution.makespan_us < best.solution.makespan_us)
      best.solution = fewer.to_original(std::move(solved.solution));
  };
  const scheduler::Restriction whole = scheduler::without_divided_tasks(problem);
  if (method == ScheduleMethod::kOptimum && !whole.has_all_choices()) consider(whole);
  const auto num_npus = std::ranges::count(problem.units, false, &scheduler::ProblemUnit::is_host);
  for (auto count = num_npus - 1; count > 0; --count)
    consider(scheduler::with_fewer_units(problem, static_cast<size_t>(count)));
  return best;
}

// A session's time limit does not apply to group enumeration, which gets enough time for an exhaustive search.
constexpr int kPaperBudgetMs = 1000;

Status run_schedule(const scheduler::Problem& problem, Schedule schedule, Simulated& result) {
  result.schedule = std::move(schedule);
  NESTRT_ASSIGN_OR_RETURN(result.run, scheduler::run_in_virtual_time(problem, result.schedule));
  result.groups = scheduler::num_concurrent_groups(problem, result.schedule, result.run);
  result.npu_branches = count_npu_branches(problem, result.schedule);
  return {};
}

}  // namespace

Result<Simulated> simulate(const scheduler::Problem& problem, ScheduleMethod method, int budget_ms) {
  const int limit_ms = method == ScheduleMethod::kGroupEnumeration ? std::max(budget_ms, kPaperBudgetMs) : budget_ms;
  const scheduler::Solved solved = solve(problem, method, std::chrono::milliseconds(limit_ms));
  Simulated result;
  result.lower_bound_us = solved.lower_bound_us;
  result.is_complete = solved.is_complete;
  NESTRT_RETURN_IF_ERROR(run_schedule(problem, scheduler::to_schedule(problem, solved.solution), result));
  return result;
}

Status take_shorter(const scheduler::Problem& problem, const Simulated& other, Simulated& result) {
  if (other.run.makespan_us >= result.run.makespan_us) return {};
  return run_schedule(problem, other.schedule, result);
}

}  // namespace nestrt::command
