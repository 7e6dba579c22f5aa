#include "scheduler/solve.h"

#include <algorithm>

#include "scheduler/bounds.h"
#include "scheduler/list_schedule.h"
#include "scheduler/methods.h"
#include "scheduler/search.h"
#include "scheduler/stretch_bounds.h"

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
  Bounds bounds(problem);
  const WholePlacements whole(problem);
  if (method == ScheduleMethod::kThroughput)
    return {whole.to_original(throughput(whole.problem(), deadline)), bounds.total_us()};
  const Solution one_by_one = sequential(whole.problem(), halfway);
  if (method == ScheduleMethod::kSequential) return {whole.to_original(one_by_one), bounds.total_us()};
  const Solution by_groups = paper(whole.problem(), one_by_one, halfway);
  if (method == ScheduleMethod::kPaper) return {whole.to_original(by_groups), bounds.total_us()};

  Bounds whole_bounds(whole.problem());
  const Deadline quarter = ends ? start + budget / 4 : Deadline::max();
  Solution known = whole.to_original(by_groups);
  const auto consider = [&](Solution other) {
    if (other.makespan_us < known.makespan_us) known = std::move(other);
  };
  consider(side_by_side(problem, whole.to_original(one_by_one)));
  consider(side_by_side(problem, known));
  consider(list_schedule(problem, bounds));
  consider(whole.to_original(sharpen(whole.problem(), whole_bounds, quarter)));
  SearchOptions options;
  options.deadline = halfway;
  consider(whole.to_original(search(whole.problem(), whole_bounds, options, by_groups).best));
  consider(sharpen(problem, bounds, halfway));
  known = improve_by_moves(problem, bounds, std::move(known), halfway);
  options.deadline = deadline;
  SearchResult found = search(problem, bounds, options, std::move(known));
  if (found.lower_bound_us < found.best.makespan_us)
    found.best = improve_by_moves(problem, bounds, std::move(found.best), deadline);
  return {std::move(found.best), found.lower_bound_us};
}

}  // namespace nestrt::scheduler
