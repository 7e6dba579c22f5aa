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

// Returns whether one unit computes the whole task, the host with all of its cores.
bool is_whole(const Choice& choice);

// Restricts the problem to whole tasks on single units, with all of the host's cores in one lane.
Restriction whole_placements(const Problem& problem);

// Runs one task after the other in file order, on the given unit if it has a program, otherwise on the fastest.
Solution on_unit(const Problem& whole_placements, uint32_t unit);

// Runs one task after the other in file order with the best placement. Dynamic programming over the places of results
// that are still to be read: exact unless more of them matter at a time than the search is wide. Never slower than all
// tasks on one unit with the help of others for programs that it does not have.
Solution sequential(const Problem& whole_placements, Deadline deadline);

// Tries other placements of up to eight consecutive tasks and keeps those with a smaller `makespan`. Dynamic
// programming ignores the limits of shared resources and the time to wake a sleeping core; `makespan` includes them.
Solution improve_sequential(const Problem& whole_placements, Solution sequential, Deadline deadline,
                            FunctionRef<double(const std::vector<Decision>&)> makespan);

struct GroupSolution {
  Solution solution;
  bool is_complete = true;  // false if the deadline passed before all matchings were tried
};

// Runs the paper's method: the sequential placement, with each group of branches concurrent if that is faster. Of m
// branches and k units, up to k - 1 units get one branch each, and the remaining unit gets all others, one after the
// other. Every such matching is tried, with transfers and synchronization. A task that its branch's unit has no program
// for is placed as in the sequential placement. `sequential`: a solution of the same problem.
GroupSolution enumerate_groups(const Problem& whole_placements, const Solution& sequential, Deadline deadline);

// Minimizes the load of the busiest unit: places tasks from the largest to the smallest and keeps the most promising
// placements at each size, then moves or exchanges single tasks while that helps. Tasks run concurrently, in file
// order.
Solution throughput(const Problem& whole_placements, Deadline deadline);

}  // namespace nestrt::scheduler
