// SPDX-License-Identifier: Apache-2.0
// Scheduling methods other than the search for the shortest schedule (scheduler/search/search.h).
#pragma once

#include <chrono>
#include <functional>

#include "runtime/core/function_ref.h"
#include "scheduler/problem/restriction.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

using Deadline = std::chrono::steady_clock::time_point;

// Returns whether one unit computes the whole task. If that unit is the host, it must use all of its cores.
bool is_whole(const Choice& choice);

// Restricts the problem to whole tasks on single units, with all host cores in one lane.
Restriction whole_placements(const Problem& problem);

// Runs the tasks one after another in file order: on the given unit if it has a program, otherwise on the fastest unit.
Solution on_unit(const Problem& whole_placements, uint32_t unit);

// Runs the tasks one after another in file order with the best placement. Uses dynamic programming over the locations
// of results that are still to be read. This is exact unless the number of relevant results exceeds the search width.
// The result is never slower than running all tasks on one unit and using other units only for missing programs.
Solution sequential(const Problem& whole_placements, Deadline deadline);

// Tries other placements for up to eight consecutive tasks, and keeps those with a smaller `makespan`. Unlike the
// dynamic program, `makespan` includes the limits of shared resources and the time to wake a sleeping core.
Solution improve_sequential(const Problem& whole_placements, Solution sequential, Deadline deadline,
                            FunctionRef<double(const std::vector<Decision>&)> makespan);

struct GroupSolution {
  Solution solution;
  bool is_complete = true;  // false if the deadline passed before all matchings had been tried
};

// Implements the method of the paper: the sequential placement, except that a group of branches runs concurrently if
// that is faster. Given m branches and k units, up to k - 1 units get one branch each, and the remaining unit runs all
// others one after another. Tries every such matching, including the costs of transfers and synchronization. If the
// unit of a branch has no program for a task, the task keeps its sequential placement. `sequential` is a solution of
// the same problem.
GroupSolution enumerate_groups(const Problem& whole_placements, const Solution& sequential, Deadline deadline);

// Minimises the load of the busiest unit. Places tasks from the largest to the smallest, and keeps the most promising
// placements after each. Then moves or exchanges single tasks as long as that helps. Tasks run concurrently, in file
// order.
Solution throughput(const Problem& whole_placements, Deadline deadline);

}  // namespace nestrt::scheduler
