// SPDX-License-Identifier: Apache-2.0
// Joins: points at which several tasks with the same readers are complete. For example, the branches of a module are
// concatenated in place, and several operators read the result. Joins compute nothing and are not tasks, but they
// separate earlier tasks from later ones.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// The graph of a problem's tasks, with an additional node for each join. The order of the tasks is preserved.
struct JoinedGraph {
  Predecessors graph;
  std::vector<uint32_t> task_of;  // by node; kInvalidIndex (scheduler/problem/invalid_index.h) for a join

  // Returns the tasks among `nodes`.
  std::vector<uint32_t> tasks_among(const std::vector<uint32_t>& nodes) const;
};

// Returns the graph of the problem's tasks with its joins. Tasks that are read channel by channel do not form joins,
// because the reader starts before they are complete.
JoinedGraph with_joins(const Problem& problem);

// A point in the graph that separates tasks: no task before it overlaps with a task after it.
struct Separator {
  uint32_t barrier = 0;         // a task; kInvalidIndex: a join
  std::vector<uint32_t> tasks;  // the barrier, or the joined tasks; all later tasks wait for all of them
  uint32_t tasks_before = 0;    // number of tasks before it, excluding the barrier
};

// Returns, in topological order, the barriers of the graph (scheduler/problem/regions.h) and the joins that every task
// precedes or follows. Excludes barriers that read or are read channel by channel, because they overlap with their
// neighbours.
std::vector<Separator> separators_of(const Problem& problem);

}  // namespace nestrt::scheduler
