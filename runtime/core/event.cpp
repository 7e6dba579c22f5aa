// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/event.h"

namespace nestrt {
namespace {

// A unit that runs on the waiting thread has already signalled. Spinning for one that is about to signal avoids a
// system call.
constexpr int kSpins = 1000;

}  // namespace

uint64_t Event::arm() {
  const MutexLock lock(mutex_);
  const uint64_t generation = state_.load(std::memory_order_relaxed) / 2 + 1;
  status_ = Status();
  state_.store(generation * 2, std::memory_order_release);
  return generation;
}

bool Event::signal(uint64_t generation, Status status) {
  const MutexLock lock(mutex_);
  if (state_.load(std::memory_order_relaxed) != generation * 2) return false;
  status_ = std::move(status);
  state_.store(generation * 2 + 1, std::memory_order_release);
  completed_.notify_all();  // under the lock: a waiter that returns may destroy the Event
  return true;
}

Status Event::wait(Deadline deadline) {
  for (int spin = 0; spin < kSpins && !done(); ++spin) {
  }
  const MutexLock lock(mutex_);
  while (!done()) {
    if (deadline == kNoDeadline)
      completed_.wait(mutex_);
    else if (completed_.wait_until(mutex_, deadline) == std::cv_status::timeout && !done())
      return Status(Code::kDeadlineExceeded, "the unit did not complete before the deadline");
  }
  return status_;
}

}  // namespace nestrt
