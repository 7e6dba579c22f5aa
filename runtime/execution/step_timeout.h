// StepTimeout: how long a unit beside the host may take for a step before the host computes the step in its place.
#pragma once

#include <chrono>

#include "nestrt/driver/event.h"

namespace nestrt {

// As SessionOptions has them.
struct UnitLimits {
  std::chrono::milliseconds timeout{10'000};
  double factor = 8;
  std::chrono::milliseconds slack{50};
};

// Microseconds, as measured or predicted; 0: not known.
struct StepTimes {
  double unit_us = 0;       // of the step on its unit, as measured
  double predicted_us = 0;  // likewise, as the schedule says
  double host_us = 0;       // of the step on the host
  double rest_us = 0;       // of what the run has to compute after it, on the host, as far as it is known
};

struct StepTimeout {
  // From when the unit begins: one that takes longer has failed. The greatest there is where only the timeout holds.
  std::chrono::nanoseconds limit = std::chrono::nanoseconds::max();
  // Then the unit is given up for the sake of the run: as late as the host can still compute the step, and the rest,
  // before the run's deadline. That deadline itself where there is not the time for both: a unit that works is worth
  // more than what protects from one that does not.
  Deadline deadline = kNoDeadline;
  bool host_is_in_time = false;  // the host would meet the run's deadline if it computed the step at once
  bool unit_is_in_time = true;   // the unit would, if it took as long as it did, and the host computed the rest
  bool is_protected = true;      // whether the run meets its deadline even where the unit does not answer
};

// `now`: the unit is asked then. `run_deadline`: the caller's.
StepTimeout step_timeout(const StepTimes& times, const UnitLimits& limits, SteadyClock::time_point now,
                         Deadline run_deadline);

}  // namespace nestrt
