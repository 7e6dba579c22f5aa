// SPDX-License-Identifier: Apache-2.0
// Solves a problem with a given method, like make_schedule (nestrt/driver/schedule.h) does for a plan.
#pragma once

#include <chrono>

#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

struct Solved {
  Solution solution;
  double lower_bound_us = 0;
  bool is_complete = true;  // kGroupEnumeration: false if the budget ended before all matchings had been tried
};

// Solves the problem with any method except kFileOrder. Returns the best solution found within the budget. Given enough
// time, kOptimum is never slower than kGroupEnumeration, which is never slower than kSequential. Only kThroughput can
// be slower than a single unit.
Solved solve(const Problem& problem, ScheduleMethod method, std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
