// SPDX-License-Identifier: Apache-2.0
// The plug-in of examples/vendor/skeleton with a device that fails and hangs on request.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "drivers/vendor/plugin.h"

namespace nestrt::vendor::test {

// Each request is for one run or self-test, in order.
class Faults {
 public:
  enum class Kind : uint8_t { kNone, kError, kHang };

  void next_run(Kind kind);
  void forget();
  bool all_begun();

  // Take the fault of the next run or self-test, for the device.
  Kind begin(uint64_t run);
  Kind self_test();
  // Waits for the active run. Returns true with its result if it is over.
  bool wait(int64_t until_ns, nestrt_vendor_completion* completion);
  void cancel(uint64_t run);
  void reset();

 private:
  Kind take();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Kind> wanted_;
  Kind running_ = Kind::kNone;
  uint64_t run_ = 0;
  bool is_cancelled_ = false;
};

// Returns the plug-in. Only one device is open at a time; it has the faults passed to the last call.
std::shared_ptr<const Plugin> faulty_skeleton(std::shared_ptr<Faults> faults);

}  // namespace nestrt::vendor::test
