// Bounds of stretches by search: what lies between two separators (scheduler/problem/joins.h) as a problem of its own,
// with all that it reads there at once and everywhere, takes no longer than it does in any schedule of the whole. Its
// work alone, which can be divided as one likes (scheduler/search/bounds.h), is less: the sum over the stretches of a
// network tells schedules apart only if each is nearly exact.
#pragma once

#include <chrono>

#include "scheduler/search/bounds.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// Raises the bounds of stretches with several tasks to what a search proves, as long as time remains, of which each
// gets a share. Returns the schedules found for them, one after the other, with barriers where they end first.
// `known`: a solution whose decisions are where each search begins; may be empty.
Solution sharpen(const Problem& problem, Bounds& bounds, std::chrono::steady_clock::time_point deadline,
                 const Solution& known = {});

}  // namespace nestrt::scheduler
