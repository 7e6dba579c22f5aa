// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/schedule_steps.h"

#include <algorithm>

#include "runtime/plan/queries/dependencies.h"
#include "scheduler/problem/invalid_index.h"

namespace nestrt::scheduler {
namespace {

class StepBuilder {
 public:
  explicit StepBuilder(const Problem& problem)
      : problem_(problem), lane_of_(problem.lanes.size(), kInvalidIndex), steps_of_(problem.tasks.size()) {}

  Schedule build(const std::vector<Decision>& order) && {
    find_lanes(order);
    last_.assign(schedule_.lanes.size(), kInvalidIndex);
    for (size_t i = 0; i < order.size(); ++i) {
      const Task& task = problem_.tasks[order[i].task];
      const bool follows = order[i].after_previous && i > 0;
      for (const Part& part : task.choices[order[i].choice].parts) {
        std::vector<uint32_t> needed = read_by(task, part);
        if (follows) add(steps_of_[order[i - 1].task], needed);
        std::sort(needed.begin(), needed.end(), std::greater<>());
        add_step(task.branch, order[i].task, part, needed);
      }
    }
    return std::move(schedule_);
  }

 private:
  static void add(const std::vector<uint32_t>& steps, std::vector<uint32_t>& all) {
    all.insert(all.end(), steps.begin(), steps.end());
  }

  // Returns the steps whose results a part reads.
  std::vector<uint32_t> read_by(const Task& task, const Part& part) const {
    std::vector<uint32_t> steps;
    for (const TaskInput& input : task.inputs)
      for (const uint32_t step : steps_of_[input.task])
        if (reads(input, part, parts_[step])) steps.push_back(step);
    return steps;
  }

  void find_lanes(const std::vector<Decision>& order) {
    std::vector<bool> is_used(problem_.lanes.size(), false);
    if (!is_used.empty()) is_used[0] = problem_.units[problem_.lanes[0].unit].is_host;
    for (Decision decision : order)
      for (const Part& part : problem_.tasks[decision.task].choices[decision.choice].parts) is_used[part.lane] = true;
    for (uint32_t lane = 0; lane < is_used.size(); ++lane) {
      if (!is_used[lane]) continue;
      lane_of_[lane] = static_cast<uint32_t>(schedule_.lanes.size());
      schedule_.lanes.push_back(problem_.lanes[lane]);
    }
  }

  // Adds a step. `needed` is in decreasing order, because an earlier step cannot imply a later one.
  void add_step(uint32_t branch, uint32_t task, const Part& part, const std::vector<uint32_t>& needed) {
    Step step{branch, part.channels, part.program, lane_of_[part.lane], part.threads, part.us, {}};
    const auto index = static_cast<uint32_t>(schedule_.steps.size());
    // For each lane: one more than the last step known to be complete.
    std::vector<uint32_t> known(schedule_.lanes.size(), 0);
    if (last_[step.lane] != kInvalidIndex) known = complete_after_[last_[step.lane]];
    for (uint32_t other : needed) {
      if (known[schedule_.steps[other].lane] > other) continue;
      step.waits.push_back(other);
      for (size_t lane = 0; lane < known.size(); ++lane)
        known[lane] = std::max(known[lane], complete_after_[other][lane]);
    }
    std::sort(step.waits.begin(), step.waits.end());
    known[step.lane] = index + 1;
    complete_after_.push_back(std::move(known));
    last_[step.lane] = index;
    steps_of_[task].push_back(index);
    parts_.push_back(part);
    schedule_.steps.push_back(std::move(step));
  }

  const Problem& problem_;
  Schedule schedule_;
  std::vector<Part> parts_;                            // by step
  std::vector<uint32_t> lane_of_;                      // by lane of the problem
  std::vector<uint32_t> last_;                         // by lane: its last step
  std::vector<std::vector<uint32_t>> steps_of_;        // by task
  std::vector<std::vector<uint32_t>> complete_after_;  // by step and lane
};

}  // namespace

Schedule to_schedule(const Problem& problem, const Solution& solution) {
  Schedule schedule = StepBuilder(problem).build(solution.order);
  schedule.makespan_us = solution.makespan_us;
  return schedule;
}

ComputingSteps computing_steps(const Plan& plan, const Schedule& schedule) {
  ComputingSteps computing;
  std::vector<Step>& steps = computing.schedule.steps;
  computing.schedule.lanes = schedule.lanes;
  // `before`: for each step, the number of computing steps up to its end. `due`: for each lane, the number of computing
  // steps up to the step for which the next step of the lane waits.
  std::vector<uint32_t> before(schedule.steps.size()), due(schedule.lanes.size(), 0);
  for (uint32_t index = 0; index < schedule.steps.size(); ++index) {
    const Step& step = schedule.steps[index];
    before[index] = static_cast<uint32_t>(steps.size());
    if (computes_nothing(plan.tables(), step.branch)) {
      due[step.lane] = before[index];
      continue;
    }
    ++before[index];
    computing.original.push_back(index);
    std::vector<uint32_t>& waits = steps.emplace_back(step).waits;
    waits.clear();
    for (const uint32_t wait : step.waits)
      if (before[wait] > 0) waits.push_back(before[wait] - 1);
    if (due[step.lane] > 0) waits.push_back(due[step.lane] - 1);
    due[step.lane] = 0;
  }
  return computing;
}

}  // namespace nestrt::scheduler
