// The clock of a session: null is the steady clock, which is asked without a virtual call.
#pragma once

#include "nestrt/driver/clock.h"

namespace nestrt {

inline SteadyClock::time_point now_by(const Clock* clock) {
  return clock == nullptr ? SteadyClock::now() : clock->now();
}

// Until somebody notifies or `time` has come; may return earlier.
inline void wait_by(Clock* clock, Condition& condition, Mutex& mutex, SteadyClock::time_point time)
    NESTRT_REQUIRES(mutex) {
  if (clock == nullptr)
    condition.wait_until(mutex, time);
  else
    clock->wait_until(condition, mutex, time);
}

}  // namespace nestrt
