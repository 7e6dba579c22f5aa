// SPDX-License-Identifier: Apache-2.0
// Contention-aware schedules. If several sessions keep the units busy, an inference is as fast as its share of them
// allows, and a choice that needs more unit time than another delays every session. The schedule with the lowest
// latency alone makes such choices: it splits layers as long as that shortens it at all.
#pragma once

#include <chrono>
#include <span>

#include "scheduler/search/solve.h"

namespace nestrt::scheduler {

// Solves like solve(), for ScheduleOptions::others. If there are others and the method is kOptimum, returns the best of
// three schedules: the shortest; the shortest whose choices need little more unit time than the minimum, weighted by
// how scarce each unit is; and the one with the smallest load of the busiest unit. The best has the highest simulated
// throughput under contention with identical sessions (scheduler/multi_session/concurrent_sessions.h); on a near tie
// the smaller load of the busiest unit decides. The simulation adds about the default budget for a hundred branches.
Solved solve_contention_aware(const Problem& problem, std::span<const double> others, ScheduleMethod method,
                              std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
