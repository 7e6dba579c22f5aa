// SPDX-License-Identifier: Apache-2.0
// Bounds of stretches by search. The tasks between two separators (scheduler/problem/joins.h) are solved as a separate
// problem in which all outside inputs are available on every unit from the start. The solution takes no longer than
// these tasks take in any schedule of the whole problem. The bound from work alone (scheduler/search/bounds.h) is
// smaller, because it may split work arbitrarily. The sum over all stretches is a useful reference for schedules only
// if each term is nearly exact.
#pragma once

#include <chrono>

#include "scheduler/search/bounds.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// Raises the bounds of stretches with several tasks to values that a search proves, dividing the remaining time among
// the stretches. Returns the concatenation of the schedules found. Each barrier between them gets the choice with the
// smallest bound for the end of the schedule. `known`: a solution from which each search starts; may be empty.
Solution tighten_bounds(const Problem& problem, Bounds& bounds, std::chrono::steady_clock::time_point deadline,
                        const Solution& known = {});

}  // namespace nestrt::scheduler
