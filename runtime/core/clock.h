// SPDX-License-Identifier: Apache-2.0
// Access to a session's clock. A null pointer is the steady clock, which is read without a virtual call.
#pragma once

#include "nestrt/driver/clock.h"

namespace nestrt {

inline SteadyClock::time_point now_by(const Clock* clock) {
  return clock == nullptr ? SteadyClock::now() : clock->now();
}

// Waits for a notification or until `time`; may return earlier.
inline void wait_by(Clock* clock, Condition& condition, Mutex& mutex, SteadyClock::time_point time)
    NESTRT_REQUIRES(mutex) {
  if (clock == nullptr)
    condition.wait_until(mutex, time);
  else
    clock->wait_until(condition, mutex, time);
}

}  // namespace nestrt
