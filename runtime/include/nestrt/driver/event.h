// SPDX-License-Identifier: Apache-2.0
// Event: the completion of one submission. It is signalled once per generation, with a Status.
//
// Threading: all members may be called from any thread.
// Ownership: the Event must outlive every submission that signals it.
#pragma once

#include <atomic>
#include <cstdint>

#include "nestrt/deadline.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/status.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class Event {
 public:
  // Starts a new generation and returns it. Signals for older generations are ignored from now on, so a late unit can
  // never complete a later submission.
  uint64_t arm();
  // Completes `generation`. Has no effect and returns false if it is not the current one or is already complete.
  bool signal(uint64_t generation, Status status = {});
  bool done() const { return state_.load(std::memory_order_acquire) & 1; }
  // Waits until the current generation is complete and returns its Status, or kDeadlineExceeded. Spins briefly, then
  // sleeps.
  Status wait(Deadline deadline = kNoDeadline);

 private:
  std::atomic<uint64_t> state_{1};  // generation * 2 + done
  Mutex mutex_;                     // held during every change of state_
  Condition completed_;
  Status status_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt
