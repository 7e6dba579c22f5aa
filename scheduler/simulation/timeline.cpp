// SPDX-License-Identifier: Apache-2.0
#include "scheduler/simulation/timeline.h"

#include <algorithm>

namespace nestrt::scheduler {

Timeline::Timeline(const Problem& problem)
    : problem_(problem),
      choice_(problem.tasks.size(), 0),
      ends_(problem.tasks.size()),
      free_(problem.lanes.size(), 0) {}

// Returns when all data that a part reads from a task has arrived.
double Timeline::arrival_us(const TaskInput& input, const Part& part) const {
  double arrival = 0;
  const std::vector<Part>& parts = problem_.tasks[input.task].choices[choice_[input.task]].parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!reads(input, part, parts[i])) continue;
    const double transfer = transfer_us(problem_, parts[i].lane, part.lane, input.bytes * parts[i].output_share);
    arrival = std::max(arrival, ends_[input.task][i] + transfer);
  }
  return arrival;
}

double Timeline::start_of(Decision decision, const Part& part) const {
  const Task& task = problem_.tasks[decision.task];
  double start = std::max(free_[part.lane], fetch_us(problem_, task, part));
  for (const TaskInput& input : task.inputs) start = std::max(start, arrival_us(input, part));
  if (decision.after_previous && !order_.empty()) start = std::max(start, arrival_us({order_.back().task}, part));
  return start;
}

PartEnds Timeline::ends_of(Decision decision) const {
  const std::vector<Part>& parts = problem_.tasks[decision.task].choices[decision.choice].parts;
  PartEnds ends{};
  for (size_t i = 0; i < parts.size(); ++i) {
    double start = start_of(decision, parts[i]);
    for (size_t before = 0; before < i; ++before)
      if (parts[before].lane == parts[i].lane) start = std::max(start, ends[before]);
    ends[i] = start + parts[i].us;
  }
  return ends;
}

void Timeline::place(Decision decision) {
  const Task& task = problem_.tasks[decision.task];
  const std::vector<Part>& parts = task.choices[decision.choice].parts;
  const PartEnds ends = ends_of(decision);
  for (size_t i = 0; i < parts.size(); ++i) {
    free_[parts[i].lane] = ends[i];
    makespan_ = std::max(makespan_, ends[i] + deliver_us(problem_, task, parts[i]));
  }
  choice_[decision.task] = decision.choice;
  ends_[decision.task] = ends;
  order_.push_back(decision);
}

Solution evaluate(const Problem& problem, const std::vector<Decision>& order) {
  Timeline timeline(problem);
  for (Decision decision : order) timeline.place(decision);
  return std::move(timeline).solution();
}

}  // namespace nestrt::scheduler
