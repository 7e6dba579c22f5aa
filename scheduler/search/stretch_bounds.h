// SPDX-License-Identifier: Apache-2.0
// Bounds of stretches by search. The tasks between two separators (scheduler/problem/joins.h), as a separate problem
// with all outside inputs available from the start on every unit, need no more time than in any schedule of the whole.
// The bound from work alone, which may be split arbitrarily (scheduler/search/bounds.h), is smaller. The sum over the
// stretches of a network distinguishes schedules only if each term is nearly exact.
#pragma once

#include <chrono>

#include "scheduler/search/bounds.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// Raises the bounds of stretches with several tasks to what a search proves, and divides the remaining time among them.
// Returns the schedules found for them one after the other, with barriers where they end first. `known`: a solution
// from which each search starts; may be empty.
Solution tighten_bounds(const Problem& problem, Bounds& bounds, std::chrono::steady_clock::time_point deadline,
                        const Solution& known = {});

}  // namespace nestrt::scheduler
