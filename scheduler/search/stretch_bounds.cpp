// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/stretch_bounds.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "scheduler/search/list_schedule.h"
#include "scheduler/search/search.h"

namespace nestrt::scheduler {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

// A wider search gains little for the time it takes, because dropped states still give a bound.
constexpr size_t kMaxWidth = 2048;
// Relative rounding difference between sums of the same times.
constexpr double kBoundMargin = 1e-12;

// Returns the tasks of a stretch as a separate problem.
Problem problem_of(const Problem& whole, const Stretch& stretch) {
  Problem problem;
  problem.units = whole.units;
  problem.lanes = whole.lanes;
  problem.sharings = whole.sharings;
  const uint32_t first = stretch.tasks.front();
  for (const uint32_t index : stretch.tasks) {
    Task& task = problem.tasks.emplace_back(whole.tasks[index]);
    task.reads_caller = task.is_result = false;
    std::erase_if(task.inputs, [&](const TaskInput& input) { return input.task < first; });
    for (TaskInput& input : task.inputs) input.task -= first;
  }
  return problem;
}

// Extracts the decisions of the stretch from `whole`, a solution of the whole problem.
Solution solution_of(const Problem& problem, const Stretch& stretch, const Solution& whole) {
  const uint32_t first = stretch.tasks.front();
  std::vector<Decision> order;
  for (const Decision& decision : whole.order)
    if (decision.task >= first && decision.task - first < problem.tasks.size())
      order.push_back({decision.task - first, decision.choice});
  return order.empty() ? Solution() : evaluate(problem, order);
}

// Searches a stretch alone and raises its bound. Returns its decisions, with the task numbers of the whole problem.
std::vector<Decision> solve_stretch(const Problem& whole, Bounds& bounds, uint32_t index, Deadline deadline,
                                    const Solution& begin) {
  const Stretch& stretch = bounds.stretches()[index];
  const Problem problem = problem_of(whole, stretch);
  const Bounds alone(problem);
  SearchOptions options;
  options.max_width = kMaxWidth;
  options.deadline = deadline;
  Solution known = list_schedule(problem, alone);
  if (Solution other = solution_of(problem, stretch, begin); other.makespan_us < known.makespan_us)
    known = std::move(other);
  if (problem.tasks.size() > 1 && std::chrono::steady_clock::now() < deadline) {
    known = improve_by_moves(problem, alone, std::move(known), deadline);
    SearchResult found = search(problem, alone, options, std::move(known));
    bounds.raise(index, found.lower_bound_us * (1 - kBoundMargin));
    known = std::move(found.best);
  }
  for (Decision& decision : known.order) decision.task += stretch.tasks.front();
  return std::move(known.order);
}

// Divides the remaining time among the stretches in proportion to their numbers of tasks.
class TimeShares {
 public:
  TimeShares(const Bounds& bounds, Deadline deadline) : deadline_(deadline) {
    for (const Stretch& stretch : bounds.stretches()) tasks_left_ += tasks_of(stretch);
  }

  // Returns the deadline for the search of the next stretch.
  Deadline end_of(const Stretch& stretch) {
    const size_t tasks = tasks_of(stretch), left = std::exchange(tasks_left_, tasks_left_ - tasks);
    const auto now = std::chrono::steady_clock::now();
    if (deadline_ == Deadline::max() || now >= deadline_ || left == 0) return deadline_;
    return now + (deadline_ - now) / static_cast<int64_t>(left) * static_cast<int64_t>(tasks);
  }

 private:
  static size_t tasks_of(const Stretch& stretch) { return stretch.tasks.size() > 1 ? stretch.tasks.size() : 0; }

  const Deadline deadline_;
  size_t tasks_left_ = 0;
};

// Returns the choice of a barrier with the smallest bound for the end of the schedule.
Decision place_barrier(const Problem& problem, const Bounds& bounds, const Timeline& timeline, uint32_t task) {
  Decision best{task, 0, false};
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t choice = 0; choice < problem.tasks[task].choices.size(); ++choice) {
    const std::vector<Part>& parts = problem.tasks[task].choices[choice].parts;
    if (problem.tasks[task].choices[choice].sharing != 0 && problem.tasks[task].choices[choice].sharing != kAnySharing)
      continue;
    const PartEnds ends = timeline.ends_of({task, choice, false});
    double latest = 0;
    for (uint32_t part = 0; part < parts.size(); ++part)
      latest = std::max(latest, ends[part] + bounds.tail_us(task, choice, part));
    if (latest >= least) continue;
    least = latest;
    best.choice = choice;
  }
  return best;
}

}  // namespace

Solution tighten_bounds(const Problem& problem, Bounds& bounds, Deadline deadline, const Solution& known) {
  Timeline timeline(problem);
  TimeShares shares(bounds, deadline);
  for (uint32_t index = 0; index < bounds.stretches().size(); ++index) {
    const Stretch& stretch = bounds.stretches()[index];
    if (!stretch.tasks.empty())
      for (const Decision decision : solve_stretch(problem, bounds, index, shares.end_of(stretch), known))
        timeline.place(decision);
    if (stretch.barrier != kInvalidIndex) timeline.place(place_barrier(problem, bounds, timeline, stretch.barrier));
  }
  bounds.find_tails();
  return std::move(timeline).solution();
}

}  // namespace nestrt::scheduler
