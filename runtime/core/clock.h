// The clock of a session: null is the steady clock, which is asked without a virtual call.
#pragma once

#include "nestrt/clock.h"

namespace nestrt {

inline SteadyClock::time_point now_by(const Clock* clock) {
  return clock == nullptr ? SteadyClock::now() : clock->now();
}

// Until `ready()`, at the latest until `time`.
template <typename Ready>
void wait_by(Clock* clock, std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
             SteadyClock::time_point time, Ready ready) {
  if (clock == nullptr) {
    condition.wait_until(lock, time, ready);
    return;
  }
  while (!ready() && clock->now() < time) clock->wait_until(condition, lock, time);
}

}  // namespace nestrt
