// SPDX-License-Identifier: Apache-2.0
// Joins: points at which several tasks, all read by the same others, are complete. An example is the branches of a
// module that are concatenated in place and read by several operators. Joins compute nothing and are not tasks, but in
// the graph they separate what comes before from what comes after.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// The graph of a problem's tasks with a node for each join. It keeps the order of the tasks.
struct JoinedGraph {
  Predecessors graph;
  std::vector<uint32_t> task_of;  // by node; kInvalidIndex (scheduler/problem/invalid_index.h): a join

  // Returns the tasks among the nodes.
  std::vector<uint32_t> tasks_among(const std::vector<uint32_t>& nodes) const;
};

// A task that reads another channel by channel has no join, because it starts before that one is complete.
JoinedGraph with_joins(const Problem& problem);

// A point at which nothing before it overlaps with anything after it.
struct Separator {
  uint32_t barrier = 0;         // a task; kInvalidIndex: a join
  std::vector<uint32_t> tasks;  // the barrier, or the joined tasks; everything after waits for all of them
  uint32_t tasks_before = 0;    // number of tasks before it, without the barrier
};

// Returns, in topological order, the barriers of the graph (scheduler/problem/regions.h) and the joins that every task
// precedes or follows. Barriers that read, or are read, channel by channel are omitted, because they overlap with their
// neighbour.
std::vector<Separator> separators_of(const Problem& problem);

}  // namespace nestrt::scheduler
