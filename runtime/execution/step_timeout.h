// SPDX-License-Identifier: Apache-2.0
// StepTimeout: how long an accelerator may run a step before the host takes over.
#pragma once

#include <chrono>

#include "nestrt/driver/event.h"

namespace nestrt {

// See FaultToleranceOptions.
struct UnitLimits {
  std::chrono::milliseconds timeout{10'000};
  double factor = 8;
  std::chrono::milliseconds slack{50};
};

// The times of a step in microseconds; 0 if unknown.
struct StepTimes {
  double unit_us = 0;       // time of the step on its unit, measured
  double predicted_us = 0;  // time of the step on its unit, according to the schedule
  double host_us = 0;       // time of the step on the host
  double rest_us = 0;       // known time of the following steps on the host
};

struct StepTimeout {
  // Time limit from the start on the unit; a unit that exceeds it has failed. The maximum value if only the general
  // timeout applies.
  std::chrono::nanoseconds limit = std::chrono::nanoseconds::max();
  // When the host takes over to protect the run's deadline: the latest time at which the host can still run the step
  // and the remaining ones in time. Equals the run's deadline if there is not enough time for both the unit and the
  // host, because using a working unit is preferable to protection against a failing one.
  Deadline deadline = kNoDeadline;
  bool host_is_in_time = false;  // the host would meet the run's deadline if it started now
  bool unit_is_in_time = true;   // the unit would meet it, given its known time and the remaining steps on the host
  bool is_protected = true;      // the run meets its deadline even if the unit does not respond
};

// `now` is the time of submission to the unit; `run_deadline` is the caller's deadline.
StepTimeout step_timeout(const StepTimes& times, const UnitLimits& limits, SteadyClock::time_point now,
                         Deadline run_deadline);

}  // namespace nestrt
