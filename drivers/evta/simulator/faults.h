// SPDX-License-Identifier: Apache-2.0
// Fault injection for simulated accelerators, used to test the layers above.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "nestrt/driver/mutex.h"

namespace nestrt::evta {

enum class Fault : uint8_t {
  kNone,
  kHang,           // does not end until it is reset
  kLate,           // ends `late_by` too late
  kEarly,          // reports its end before it has written its results
  kWrongData,      // one bit of the results is wrong
  kDmaError,       // stops with an error midway, with results partly written
  kLostInterrupt,  // ends without an interrupt, so that the status register must be polled
};

// Threads: all members are safe from any thread.
class FaultInjector {
 public:
  explicit FaultInjector(std::chrono::milliseconds late_by = std::chrono::milliseconds(20)) : late_by_(late_by) {}

  // Adds the fault of one run. Each call applies to one run, in order. Later runs have no fault.
  void next_run(Fault fault) {
    const MutexLock lock(mutex_);
    runs_.push_back(fault);
  }
  // Discards the faults of runs that have not started.
  void forget() {
    const MutexLock lock(mutex_);
    runs_.clear();
    failing_resets_ = 0;
  }
  // Makes the next `count` resets fail.
  void fail_resets(int count) {
    const MutexLock lock(mutex_);
    failing_resets_ = count;
  }

  // Returns whether every run with a requested fault has started.
  bool all_begun() {
    const MutexLock lock(mutex_);
    return runs_.empty();
  }

  // Return the fault of the run or reset that starts now.
  Fault take_run() {
    const MutexLock lock(mutex_);
    if (runs_.empty()) return Fault::kNone;
    const Fault fault = runs_.front();
    runs_.pop_front();
    return fault;
  }
  bool take_reset() {
    const MutexLock lock(mutex_);
    return failing_resets_ > 0 && failing_resets_-- > 0;
  }
  std::chrono::milliseconds late_by() const { return late_by_; }

 private:
  const std::chrono::milliseconds late_by_;
  Mutex mutex_;
  std::deque<Fault> runs_ NESTRT_GUARDED_BY(mutex_);
  int failing_resets_ NESTRT_GUARDED_BY(mutex_) = 0;
};

}  // namespace nestrt::evta
