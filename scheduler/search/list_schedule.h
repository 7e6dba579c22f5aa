// List scheduling: good schedules of problems that are too large for an exact search, in little time.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "scheduler/search/bounds.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// Tasks by the least time from their start to the end of everything, longest first, each where it ends earliest, or
// where the least time to the end of everything is shortest: the better of both. With all of the host's cores in one
// lane. After HEFT (Topcuoglu, Hariri, Wu 2002).
Solution list_schedule(const Problem& problem, const Bounds& bounds);

// What decisions in an order that respects the graph take: evaluate() (scheduler/simulation/timeline.h), or something
// like it.
using Evaluation = std::function<Solution(const Problem& problem, const std::vector<Decision>& order)>;

// Does one task in another way as long as that makes the schedule shorter, and until the deadline. `reach`: only in
// ways that are so many places before or after its own among the choices, of which neighbours divide it alike.
Solution improve_by_moves(const Problem& problem, const Bounds& bounds, Solution solution,
                          std::chrono::steady_clock::time_point deadline, const Evaluation& evaluation = evaluate,
                          uint32_t reach = UINT32_MAX);

}  // namespace nestrt::scheduler
