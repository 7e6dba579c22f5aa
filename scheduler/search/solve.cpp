// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/solve.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "scheduler/problem/rates.h"
#include "scheduler/search/bounds.h"
#include "scheduler/search/list_schedule.h"
#include "scheduler/search/methods.h"
#include "scheduler/search/search.h"
#include "scheduler/search/stretch_bounds.h"
#include "scheduler/simulation/virtual_time.h"

namespace nestrt::scheduler {
namespace {

Solution without_sequencing(const Problem& problem, Solution solution) {
  for (Decision& decision : solution.order) decision.after_previous = false;
  return evaluate(problem, solution.order);
}

// Evaluates decisions under the limits of shared resources.
Solution evaluate_shared(const Problem& problem, const std::vector<Decision>& order) {
  return {order, makespan_in_virtual_time(problem, order)};
}

// Evaluates like evaluate_shared(), but skips unpromising solutions, because evaluation without shared limits is much
// faster. Skips a solution if its time without limits exceeds that of the best solution by more than `allowed` times
// the cost of sharing.
class ScreenedEvaluation {
 public:
  ScreenedEvaluation(const Problem& problem, const Solution& best, double allowed)
      : allowed_(allowed), alone_us_(evaluate(problem, best.order).makespan_us), best_us_(best.makespan_us) {}

  Solution operator()(const Problem& problem, const std::vector<Decision>& order) {
    Solution solution = evaluate(problem, order);
    const double alone_us = std::exchange(solution.makespan_us, std::numeric_limits<double>::infinity());
    if (alone_us > alone_us_ + allowed_ * (best_us_ - alone_us_)) return solution;
    solution.makespan_us = makespan_in_virtual_time(problem, order);
    if (solution.makespan_us < best_us_) alone_us_ = alone_us, best_us_ = solution.makespan_us;
    return solution;
  }

 private:
  double allowed_, alone_us_, best_us_;
};

// Solutions are found without shared limits; this class keeps the one that is best with the limits applied.
class BestUnderSharing {
 public:
  explicit BestUnderSharing(const Problem& problem) : problem_(problem), is_needed_(has_shared_limits(problem)) {}

  void consider(Solution solution) {
    if (is_needed_) solution = evaluate_shared(problem_, solution.order);
    if (solution.makespan_us < best_.makespan_us) best_ = std::move(solution);
  }

  bool is_needed() const { return is_needed_; }

  void improve(const Bounds& bounds, Deadline deadline) {
    if (!is_needed_) return;
    for (const double allowed : {0.02, 0.3}) {
      for (const uint32_t reach : {1U, UINT32_MAX}) {
        const ScreenedEvaluation evaluation(problem_, best_, allowed);
        best_ = improve_by_moves(problem_, bounds, std::move(best_), deadline, evaluation, reach);
      }
    }
  }

  Solution take() && { return std::move(best_); }

 private:
  const Problem& problem_;
  const bool is_needed_;
  Solution best_;
};

}  // namespace

Solved solve(const Problem& problem, ScheduleMethod method, std::chrono::microseconds budget) {
  const auto start = std::chrono::steady_clock::now();
  const bool ends = budget < std::chrono::hours(24);
  const Deadline deadline = ends ? start + budget : Deadline::max();
  const auto part_of_budget = [&](int tenths) { return ends ? start + budget * tenths / 10 : Deadline::max(); };
  const Deadline early = part_of_budget(4);
  Bounds bounds(problem);
  const Restriction whole = whole_placements(problem);
  if (method == ScheduleMethod::kThroughput)
    return {whole.to_original(throughput(whole.problem(), deadline)), bounds.total_us()};
  BestUnderSharing best(problem);
  for (uint32_t unit = 0; unit < problem.units.size(); ++unit)
    best.consider(whole.to_original(on_unit(whole.problem(), unit)));
  Solution one_by_one = sequential(whole.problem(), early);
  best.consider(whole.to_original(one_by_one));
  // In methods with several stages, this runs last, because other stages gain more in the same time.
  const auto consider_improved = [&] {
    if (!best.is_needed()) return one_by_one;
    const auto makespan = [&](const auto& order) { return makespan_in_virtual_time(whole.problem(), order); };
    Solution improved = improve_sequential(whole.problem(), one_by_one, deadline, makespan);
    best.consider(whole.to_original(improved));
    return evaluate(whole.problem(), improved.order);
  };
  if (method == ScheduleMethod::kSequential) {
    consider_improved();
    return {std::move(best).take(), bounds.total_us()};
  }
  const auto [by_groups, has_all_groups] = enumerate_groups(whole.problem(), one_by_one, early);
  best.consider(whole.to_original(by_groups));
  if (method == ScheduleMethod::kGroupEnumeration) {
    best.consider(whole.to_original(enumerate_groups(whole.problem(), consider_improved(), deadline).solution));
    return {std::move(best).take(), bounds.total_us(), has_all_groups};
  }

  Solution known = whole.to_original(by_groups);
  const auto consider = [&](Solution other) {
    if (other.makespan_us < known.makespan_us) known = std::move(other);
  };
  consider(without_sequencing(problem, whole.to_original(one_by_one)));
  consider(without_sequencing(problem, known));
  consider(list_schedule(problem, bounds));
  SearchOptions options;
  if (!whole.has_all_choices()) {
    Bounds whole_bounds(whole.problem());
    consider(whole.to_original(tighten_bounds(whole.problem(), whole_bounds, part_of_budget(2))));
    options.deadline = early;
    consider(whole.to_original(search(whole.problem(), whole_bounds, options, by_groups).best));
    best.consider(known);
  }
  const Deadline halfway = part_of_budget(whole.has_all_choices() ? 8 : 5);
  consider(tighten_bounds(problem, bounds, halfway, known));
  known = improve_by_moves(problem, bounds, std::move(known), halfway);
  options.deadline = best.is_needed() ? halfway : deadline;
  SearchResult found = search(problem, bounds, options, std::move(known));
  if (found.lower_bound_us < found.best.makespan_us)
    found.best = improve_by_moves(problem, bounds, std::move(found.best), options.deadline);
  best.consider(std::move(found.best));
  best.improve(bounds, part_of_budget(9));
  // Ensures that the result is never worse than that of kGroupEnumeration or kSequential.
  if (best.is_needed())
    best.consider(whole.to_original(enumerate_groups(whole.problem(), consider_improved(), deadline).solution));
  return {std::move(best).take(), found.lower_bound_us};
}

}  // namespace nestrt::scheduler
