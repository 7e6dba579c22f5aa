// SPDX-License-Identifier: Apache-2.0
// Contention-aware schedules. If several sessions keep the units busy, the speed of an inference depends on its share
// of them, and a choice that uses more unit time than necessary delays every session. The schedule with the lowest
// latency for a single session makes such choices: it splits layers even if that shortens the inference only slightly.
#pragma once

#include <chrono>
#include <span>

#include "scheduler/search/solve.h"

namespace nestrt::scheduler {

// Solves the problem as solve() does, given the other sessions in ScheduleOptions::others. If `others` is not empty and
// the method is kOptimum, considers three schedules: the shortest; the shortest whose choices need little more than the
// minimum unit time, weighted by the scarcity of each unit; and the one with the smallest load of the busiest unit.
// Returns the one with the highest simulated throughput under contention with identical sessions
// (scheduler/multi_session/concurrent_sessions.h), or, on a near tie, the one with the smaller load of the busiest
// unit. For a hundred branches, the simulation takes about as long as the default budget.
Solved solve_contention_aware(const Problem& problem, std::span<const double> others, ScheduleMethod method,
                              std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
