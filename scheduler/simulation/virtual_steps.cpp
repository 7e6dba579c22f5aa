// SPDX-License-Identifier: Apache-2.0
#include "scheduler/simulation/virtual_steps.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/plan/queries/channels.h"
#include "scheduler/problem/invalid_index.h"

namespace nestrt::scheduler {
namespace {

Status unknown_step(uint32_t step, const char* why) {
  return Status(Code::kInvalidArgument, fmt::format("step {} of the schedule {}", step, why));
}

// Converts a lane of the schedule to a lane of the problem. The lanes of each unit correspond in order.
uint32_t problem_lane(const Problem& problem, const Schedule& schedule, uint32_t lane) {
  const uint32_t unit = schedule.lanes[lane].unit;
  const auto is_of_unit = [unit](const Lane& other) { return other.unit == unit; };
  auto before = std::count_if(schedule.lanes.begin(), schedule.lanes.begin() + lane, is_of_unit);
  for (uint32_t other = 0; other < problem.lanes.size(); ++other)
    if (is_of_unit(problem.lanes[other]) && before-- == 0) return other;
  return kInvalidIndex;
}

Result<uint32_t> find_task(const std::vector<uint32_t>& tasks, const Schedule& schedule, uint32_t index) {
  const Step& step = schedule.steps[index];
  if (step.lane >= schedule.lanes.size()) return unknown_step(index, "has an invalid lane");
  const uint32_t task = step.branch < tasks.size() ? tasks[step.branch] : kInvalidIndex;
  if (task == kInvalidIndex)
    return unknown_step(index, fmt::format("computes branch {}, which has no task", step.branch).c_str());
  return task;
}

Result<Part> find_part(const Problem& problem, uint32_t task, const Schedule& schedule, uint32_t index) {
  const Step& step = schedule.steps[index];
  for (const Choice& choice : problem.tasks[task].choices)
    for (const Part& part : choice.parts)
      if (problem.lanes[part.lane].unit == schedule.lanes[step.lane].unit && part.program == step.program &&
          part.channels == step.channels && part.threads == step.threads)
        return part;
  return unknown_step(index, "has no known cost");
}

Part part_of(const Task& task, const Step& step, double us) {
  Part part;
  part.us = us;
  part.program = step.program;
  part.channels = step.channels;
  part.threads = step.threads;
  part.output_share = share_of(task.output, step.channels);
  return part;
}

Status find_needs(const Problem& problem, const Schedule& schedule, VirtualSteps& all) {
  std::vector<std::vector<uint32_t>> steps_of(problem.tasks.size());
  for (uint32_t index = 0; index < all.steps.size(); ++index) {
    VirtualStep& step = all.steps[index];
    step.first_need = static_cast<uint32_t>(all.needs.size());
    for (const TaskInput& input : problem.tasks[step.task].inputs) {
      if (steps_of[input.task].empty()) return unknown_step(index, "precedes a step that it reads");
      for (const uint32_t from : steps_of[input.task])
        if (reads(input, step.part, all.steps[from].part)) all.needs.push_back({from, input.bytes});
    }
    for (const uint32_t wait : schedule.steps[index].waits) {
      if (wait >= index) return unknown_step(index, "waits for a later step");
      all.needs.push_back({wait, 0});
    }
    step.end_need = static_cast<uint32_t>(all.needs.size());
    steps_of[step.task].push_back(index);
  }
  return {};
}

// Makes the steps of decisions, in order. The steps of a task are contiguous.
class StepsOfDecisions {
 public:
  explicit StepsOfDecisions(const Problem& problem) : problem_(problem), first_(problem.tasks.size() + 1, 0) {}

  VirtualSteps make(std::span<const Decision> order) && {
    all_.steps.reserve(2 * order.size());
    all_.needs.reserve(4 * order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      const Task& task = problem_.tasks[order[i].task];
      first_[order[i].task] = static_cast<uint32_t>(all_.steps.size());
      for (const Part& part : task.choices[order[i].choice].parts) {
        const auto first_need = static_cast<uint32_t>(all_.needs.size());
        for (const TaskInput& input : task.inputs) add_needs(input, part);
        if (i > 0 && order[i].after_previous) add_needs({order[i - 1].task}, part);
        all_.steps.push_back({order[i].task, part, first_need, static_cast<uint32_t>(all_.needs.size())});
      }
    }
    return std::move(all_);
  }

 private:
  void add_needs(const TaskInput& input, const Part& part) {
    for (uint32_t from = first_[input.task]; from < all_.steps.size() && all_.steps[from].task == input.task; ++from)
      if (reads(input, part, all_.steps[from].part)) all_.needs.push_back({from, input.bytes});
  }

  const Problem& problem_;
  std::vector<uint32_t> first_;  // by task: its first step
  VirtualSteps all_;
};

}  // namespace

std::vector<uint32_t> tasks_by_branch(const Problem& problem) {
  std::vector<uint32_t> tasks;
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    const uint32_t branch = problem.tasks[task].branch;
    if (branch >= tasks.size()) tasks.resize(branch + 1, kInvalidIndex);
    tasks[branch] = task;
  }
  return tasks;
}

Result<VirtualSteps> virtual_steps(const Problem& problem, const Schedule& schedule, std::span<const double> step_us) {
  const std::vector<uint32_t> tasks = tasks_by_branch(problem);
  VirtualSteps all;
  for (uint32_t index = 0; index < schedule.steps.size(); ++index) {
    VirtualStep& step = all.steps.emplace_back();
    NESTRT_ASSIGN_OR_RETURN(step.task, find_task(tasks, schedule, index));
    if (step_us.empty()) {
      NESTRT_ASSIGN_OR_RETURN(step.part, find_part(problem, step.task, schedule, index));
    } else {
      step.part = part_of(problem.tasks[step.task], schedule.steps[index], step_us[index]);
    }
    step.part.lane = problem_lane(problem, schedule, schedule.steps[index].lane);
    if (step.part.lane == kInvalidIndex) return unknown_step(index, "uses more lanes of its unit than the problem has");
  }
  NESTRT_RETURN_IF_ERROR(find_needs(problem, schedule, all));
  return all;
}

VirtualSteps virtual_steps(const Problem& problem, std::span<const Decision> order) {
  return StepsOfDecisions(problem).make(order);
}

}  // namespace nestrt::scheduler
