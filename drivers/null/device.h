// Device: what stands where other drivers have their hardware. It copies bytes, and fails where it is asked to, so that
// everything above it can be tested against failures.
//
// Threads: one thread at a time calls run(); the other members are safe from any.
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
  kHang,   // never ends, until it is stopped
};

class Device {
 public:
  // Runs a program to its end. Nothing touches the buffers afterwards, whatever the outcome: a driver whose hardware
  // could go on stops it first. Errors: kDeviceFault, kDeadlineExceeded, kCancelled where `stop` has been set.
  Status run(std::span<const Copy> program, std::span<std::byte* const> buffers, Deadline deadline,
             const std::atomic<bool>& stop);
  // Makes the run in progress look at its `stop`.
  void interrupt();

  // Each call is for one run, in order; later runs have no fault.
  void next_run(Fault fault);
  // What was asked for and has not begun never happens.
  void forget_faults();
  // Whether every run with a fault has begun.
  bool all_begun();

 private:
  Fault take_fault();
  Status hang(Deadline deadline, const std::atomic<bool>& stop);

  Mutex mutex_;
  Condition interrupted_;
  std::deque<Fault> faults_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt::null
