// Schedules beside others: where several sessions keep the units busy, an inference is as fast as its share of them
// allows, and who computes a layer where it takes more of the units' time than elsewhere delays all. A schedule that is
// the shortest alone does that: it divides layers as long as that makes it shorter by anything.
#pragma once

#include <chrono>
#include <span>

#include "scheduler/search/solve.h"

namespace nestrt::scheduler {

// As solve(), for ScheduleOptions::others. Where there are others, and the method is kOptimum, the best of three: the
// shortest schedule; the shortest that does everything in ways that take little more of the units' time than need be,
// each unit's counted by how scarce it is; and the smallest load of the busiest unit. The best is what does most beside
// others like it, as simulated (scheduler/multi_session/side_by_side.h), and of those that do about as much what takes
// least of the busiest unit; that takes about as long again as the default budget, for a hundred branches.
Solved solve_contention_aware(const Problem& problem, std::span<const double> others, ScheduleMethod method,
                              std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
