// A problem solved with a method, as make_schedule (nestrt/driver/schedule.h) does it for a plan.
#pragma once

#include <chrono>

#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

struct Solved {
  Solution solution;
  double lower_bound_us = 0;
  bool is_complete = true;  // kPaper: whether the budget left time for all matchings
};

// Methods but kFileOrder. With time enough kOptimum is never slower than kPaper and that never slower than kSequential;
// none but kThroughput is ever slower than one unit. What is best when the budget ends is taken.
Solved solve(const Problem& problem, ScheduleMethod method, std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
