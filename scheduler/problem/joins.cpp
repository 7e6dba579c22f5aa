// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/joins.h"

#include <algorithm>
#include <map>

#include "scheduler/problem/invalid_index.h"

namespace nestrt::scheduler {
namespace {

using Tasks = std::vector<uint32_t>;  // ascending

bool reads_by_channel(const Task& task) {
  return std::any_of(task.inputs.begin(), task.inputs.end(), [](const TaskInput& input) { return input.by_channel; });
}

// Returns the tasks that a task reads, or an empty list if they cannot form a join.
Tasks joined_by(const Task& task) {
  Tasks read;
  if (task.inputs.size() < 2 || reads_by_channel(task)) return read;
  for (const TaskInput& input : task.inputs) read.push_back(input.task);
  std::sort(read.begin(), read.end());
  return read;
}

// Returns the number of readers for each join.
std::map<Tasks, size_t> readers_of_joins(const Problem& problem) {
  std::map<Tasks, size_t> readers;
  for (const Task& task : problem.tasks) ++readers[joined_by(task)];
  std::erase_if(readers, [](const auto& join) { return join.first.empty() || join.second < 2; });
  return readers;
}

}  // namespace

std::vector<uint32_t> JoinedGraph::tasks_among(const std::vector<uint32_t>& nodes) const {
  std::vector<uint32_t> tasks;
  for (const uint32_t node : nodes)
    if (task_of[node] != kInvalidIndex) tasks.push_back(task_of[node]);
  return tasks;
}

JoinedGraph with_joins(const Problem& problem) {
  const std::map<Tasks, size_t> joins = readers_of_joins(problem);
  std::map<Tasks, uint32_t> node_of_join;
  std::vector<uint32_t> node_of(problem.tasks.size());
  JoinedGraph joined;
  const auto add_node = [&](uint32_t task, std::vector<uint32_t> before) {
    joined.graph.push_back(std::move(before));
    joined.task_of.push_back(task);
    return static_cast<uint32_t>(joined.graph.size() - 1);
  };
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    std::vector<uint32_t> before;
    for (const TaskInput& input : problem.tasks[task].inputs) before.push_back(node_of[input.task]);
    if (const auto join = joins.find(joined_by(problem.tasks[task])); join != joins.end()) {
      const auto [known, is_new] = node_of_join.try_emplace(join->first, 0);
      if (is_new) known->second = add_node(kInvalidIndex, std::move(before));
      before = {known->second};
    }
    node_of[task] = add_node(task, std::move(before));
  }
  return joined;
}

std::vector<Separator> separators_of(const Problem& problem) {
  const JoinedGraph joined = with_joins(problem);
  std::vector<bool> overlaps(problem.tasks.size(), false);
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (const TaskInput& input : problem.tasks[task].inputs)
      if (input.by_channel) overlaps[task] = overlaps[input.task] = true;
  std::vector<Separator> separators;
  for (const uint32_t node : barriers(joined.graph)) {
    const uint32_t task = joined.task_of[node];
    if (task != kInvalidIndex && overlaps[task]) continue;
    const auto before = std::count_if(joined.task_of.begin(), joined.task_of.begin() + node,
                                      [](uint32_t other) { return other != kInvalidIndex; });
    std::vector<uint32_t> tasks = joined.tasks_among(task == kInvalidIndex ? joined.graph[node] : std::vector{node});
    separators.push_back({task, std::move(tasks), static_cast<uint32_t>(before)});
  }
  return separators;
}

}  // namespace nestrt::scheduler
