// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/problem.h"

#include <algorithm>

namespace nestrt::scheduler {
namespace {

std::vector<bool> barriers_of_graph(const Problem& problem) {
  std::vector<bool> is_barrier(problem.tasks.size(), false);
  for (const uint32_t barrier : barriers(predecessors_of(problem))) is_barrier[barrier] = true;
  return is_barrier;
}

// Returns whether the two tasks may overlap without affecting any separator.
bool can_overlap(const std::vector<bool>& is_barrier, uint32_t before, uint32_t task) {
  if (!is_barrier[before] && !is_barrier[task]) return true;
  const bool begins_after_barrier = before == 0 || is_barrier[before - 1];
  const bool ends_before_barrier = task + 1 == is_barrier.size() || is_barrier[task + 1];
  return is_barrier[before] && is_barrier[task] && task == before + 1 && begins_after_barrier && ends_before_barrier;
}

}  // namespace

Predecessors predecessors_of(const Problem& problem) {
  Predecessors predecessors(problem.tasks.size());
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (const TaskInput& input : problem.tasks[task].inputs) predecessors[task].push_back(input.task);
  return predecessors;
}

bool reads(const TaskInput& input, const Part& part, const Part& written) {
  return !input.by_channel || part.channels.has_channels_of(written.channels);
}

double copy_us(const ProblemUnit& unit, double bytes) {
  return unit.is_host || unit.overhead.mb_per_s <= 0 ? 0 : bytes / unit.overhead.mb_per_s;
}

double transfer_us(const ProblemUnit& from, const ProblemUnit& to, double bytes) {
  return from.overhead.finish_us + to.overhead.start_us + copy_us(from, bytes) + copy_us(to, bytes);
}

double transfer_us(const Problem& problem, uint32_t from_lane, uint32_t to_lane, double bytes) {
  if (from_lane == to_lane) return 0;
  const uint32_t from = problem.lanes[from_lane].unit, to = problem.lanes[to_lane].unit;
  if (from == to) return problem.units[from].overhead.lane_us;
  return transfer_us(problem.units[from], problem.units[to], bytes);
}

void keep_barriers(Problem& problem) {
  const std::vector<bool> is_barrier = barriers_of_graph(problem);
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (TaskInput& input : problem.tasks[task].inputs)
      input.by_channel = input.by_channel && can_overlap(is_barrier, input.task, task);
}

double fetch_us(const Problem& problem, const Task& task, const Part& part) {
  const ProblemUnit& unit = problem.unit_of(part);
  if (!task.reads_caller) return 0;
  if (unit.is_host) return transfer_us(problem, 0, part.lane, 0);
  return unit.overhead.start_us + copy_us(unit, task.caller_bytes);
}

double deliver_us(const Problem& problem, const Task& task, const Part& part) {
  const ProblemUnit& unit = problem.unit_of(part);
  if (!task.is_result) return 0;
  if (unit.is_host) return transfer_us(problem, part.lane, 0, 0);
  return unit.overhead.finish_us + copy_us(unit, task.result_bytes * part.output_share);
}

}  // namespace nestrt::scheduler
