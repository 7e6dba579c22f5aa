// Joins: the moments at which several tasks are complete that are all read by the same others, as the branches of a
// module that are concatenated in place, where several operators read the result. They compute nothing and are no
// tasks, but in the structure of the graph they stand between what comes before and what comes after.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// The graph of a problem's tasks with a node for each join: the same tasks come before the same others.
struct JoinedGraph {
  Predecessors graph;
  std::vector<uint32_t> task_of;  // by node; kInvalidIndex (scheduler/problem/invalid_index.h): a join

  // Those of the nodes that are tasks.
  std::vector<uint32_t> tasks_among(const std::vector<uint32_t>& nodes) const;
};

// None where a task reads another channel by channel: it starts before that one is complete.
JoinedGraph with_joins(const Problem& problem);

// Where nothing that comes before overlaps with anything that comes after.
struct Separator {
  uint32_t barrier = 0;         // a task; kInvalidIndex: a join
  std::vector<uint32_t> tasks;  // the barrier, or what is joined: all that comes after waits for all of them
  uint32_t tasks_before = 0;    // so many come before, a barrier not counted
};

// The barriers of the graph (scheduler/problem/regions.h), without those that overlap with a task that reads them, or
// that they read, by channel, and the joins that all tasks come before or after. In topological order.
std::vector<Separator> separators_of(const Problem& problem);

}  // namespace nestrt::scheduler
