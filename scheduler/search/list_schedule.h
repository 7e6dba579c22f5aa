// SPDX-License-Identifier: Apache-2.0
// List scheduling: finds good schedules quickly for problems that are too large for an exact search.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "scheduler/search/bounds.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// Places tasks in decreasing order of the bound from their start to the end of the schedule. Builds two schedules and
// returns the better one: the first minimises the end of each task, the second the bound for the end of the schedule.
// Uses all host cores in one lane. After HEFT (Topcuoglu, Hariri, Wu 2002).
Solution list_schedule(const Problem& problem, const Bounds& bounds);

// A function that evaluates decisions in an order that respects the graph, like evaluate()
// (scheduler/simulation/timeline.h).
using Evaluation = std::function<Solution(const Problem& problem, const std::vector<Decision>& order)>;

// Changes the choice of one task at a time while that shortens the schedule, until the deadline. Tries only choices at
// most `reach` positions before or after the current one; neighbouring choices split a task in similar ways.
Solution improve_by_moves(const Problem& problem, const Bounds& bounds, Solution solution,
                          std::chrono::steady_clock::time_point deadline, const Evaluation& evaluation = evaluate,
                          uint32_t reach = UINT32_MAX);

}  // namespace nestrt::scheduler
