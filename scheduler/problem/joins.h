// SPDX-License-Identifier: Apache-2.0
// Joins: points at which several tasks with the same readers are complete. An example is the branches of a module that
// are concatenated in place and read by several operators. Joins compute nothing and are not tasks, but they separate
// the tasks before them from the tasks after them.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// The graph of a problem's tasks with an additional node for each join. It keeps the order of the tasks.
struct JoinedGraph {
  Predecessors graph;
  std::vector<uint32_t> task_of;  // by node; kInvalidIndex (scheduler/problem/invalid_index.h) for a join

  // Returns the tasks among `nodes`.
  std::vector<uint32_t> tasks_among(const std::vector<uint32_t>& nodes) const;
};

// Returns the graph of the problem's tasks with its joins. Tasks that are read channel by channel get no join, because
// the reader starts before they are complete.
JoinedGraph with_joins(const Problem& problem);

// A point in the graph: no task before it overlaps with a task after it.
struct Separator {
  uint32_t barrier = 0;         // a task; kInvalidIndex: a join
  std::vector<uint32_t> tasks;  // the barrier, or the joined tasks; all later tasks wait for all of them
  uint32_t tasks_before = 0;    // number of tasks before it, excluding the barrier
};

// Returns, in topological order, the barriers of the graph (scheduler/problem/regions.h) and the joins that every task
// precedes or follows. Omits barriers that read, or are read, channel by channel, because they overlap with their
// neighbours.
std::vector<Separator> separators_of(const Problem& problem);

}  // namespace nestrt::scheduler
