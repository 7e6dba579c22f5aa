// Clock: what a session goes by: how long steps take, when units are tried again, whether a deadline has passed. The
// units of a session whose clock is not the steady one have to go by that clock, too.
//
// Threads: all members from any thread.
#pragma once

#include "nestrt/driver/event.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyClock::time_point now() const = 0;
  // Waits until somebody notifies or `time` has come; may return earlier.
  virtual void wait_until(Condition& condition, Mutex& mutex, SteadyClock::time_point time) NESTRT_REQUIRES(mutex) = 0;
};

}  // namespace nestrt
