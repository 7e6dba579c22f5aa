// Event: the completion of one submission. Signalled once per generation, with a Status; waited for by others.
//
// Threads: all members may be called from any thread. The Event outlives every submission that signals it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "nestrt/driver/mutex.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/status.h"

namespace NESTRT_PUBLIC nestrt {

using SteadyClock = std::chrono::steady_clock;
using Deadline = SteadyClock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

class Event {
 public:
  // Starts a new generation and returns it. A completion of an older generation is ignored from here on, so a late
  // unit can never complete a later submission.
  uint64_t arm();
  // Completes `generation`; false (and no effect) where it is not the current one or is complete already.
  bool signal(uint64_t generation, Status status = {});
  bool done() const { return state_.load(std::memory_order_acquire) & 1; }
  // Waits until the current generation is complete and returns its Status, or kDeadlineExceeded. Spins shortly, then
  // sleeps.
  Status wait(Deadline deadline = kNoDeadline);

 private:
  std::atomic<uint64_t> state_{1};  // generation * 2 + done
  Mutex mutex_;                     // held for every change of state_
  Condition completed_;
  Status status_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt
