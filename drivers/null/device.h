// SPDX-License-Identifier: Apache-2.0
// Device: simulates the hardware of a real driver. It copies bytes, and fails on request, so that the handling of
// failures in the layers above can be tested.
//
// Threads: one thread at a time calls run(); all other members are safe from any thread.
#pragma once

#include <atomic>
#include <deque>
#include <span>

#include "drivers/null/program.h"
#include "nestrt/driver/event.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::null {

enum class Fault : uint8_t {
  kNone,
  kError,  // stops with an error
  kHang,   // does not end until it is stopped
};

class Device {
 public:
  // Runs a program. After it returns, nothing accesses the buffers, regardless of the outcome. A driver whose hardware
  // could continue must stop it first. Errors: kDeviceFault, kDeadlineExceeded, kCancelled if `stop` was set.
  Status run(std::span<const Copy> program, std::span<std::byte* const> buffers, Deadline deadline,
             const std::atomic<bool>& stop);
  // Makes the current run check its `stop` flag.
  void interrupt();

  // Adds the fault of one run. Each call applies to one run, in order. Later runs have no fault.
  void next_run(Fault fault);
  // Discards the faults of runs that have not started.
  void forget_faults();
  // Returns whether every run with a requested fault has started.
  bool all_begun();

 private:
  Fault take_fault();
  Status hang(Deadline deadline, const std::atomic<bool>& stop);

  Mutex mutex_;
  Condition interrupted_;
  std::deque<Fault> faults_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt::null
