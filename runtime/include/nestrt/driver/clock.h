// SPDX-License-Identifier: Apache-2.0
// Clock: a session's source of time for step durations, probe intervals and deadlines. A session with a custom clock
// requires units that use the same clock.
//
// Threading: all members may be called from any thread.
#pragma once

#include "nestrt/deadline.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class Clock {
 public:
  virtual ~Clock() = default;
  // Returns the current time.
  virtual SteadyClock::time_point now() const = 0;
  // Waits until the condition is notified or `time` is reached; may return earlier.
  virtual void wait_until(Condition& condition, Mutex& mutex, SteadyClock::time_point time) NESTRT_REQUIRES(mutex) = 0;
};

}  // namespace nestrt
