#include "scheduler/solve.h"

#include <algorithm>

#include "scheduler/bounds.h"
#include "scheduler/methods.h"
#include "scheduler/search.h"

namespace nestrt::scheduler {
namespace {

Solution side_by_side(const Problem& problem, Solution solution) {
  for (Decision& decision : solution.order) decision.after_previous = false;
  return evaluate(problem, solution.order);
}

}  // namespace

Solved solve(const Problem& problem, ScheduleMethod method, std::chrono::microseconds budget) {
  const auto start = std::chrono::steady_clock::now();
  const bool ends = budget < std::chrono::hours(24);
  const Deadline deadline = ends ? start + budget : Deadline::max();
  const Deadline halfway = ends ? start + budget / 2 : Deadline::max();
  const Bounds bounds(problem);
  const WholePlacements whole(problem);
  if (method == ScheduleMethod::kThroughput)
    return {whole.to_original(throughput(whole.problem(), deadline)), bounds.total_us()};
  const Solution one_by_one = sequential(whole.problem(), halfway);
  if (method == ScheduleMethod::kSequential) return {whole.to_original(one_by_one), bounds.total_us()};
  const Solution by_groups = paper(whole.problem(), one_by_one, halfway);
  if (method == ScheduleMethod::kPaper) return {whole.to_original(by_groups), bounds.total_us()};

  Solution known = whole.to_original(by_groups);
  for (const Solution& other : {whole.to_original(one_by_one), known}) {
    Solution freed = side_by_side(problem, other);
    if (freed.makespan_us < known.makespan_us) known = std::move(freed);
  }
  SearchOptions options;
  options.deadline = deadline;
  SearchResult found = search(problem, bounds, options, std::move(known));
  return {std::move(found.best), found.lower_bound_us};
}

}  // namespace nestrt::scheduler
