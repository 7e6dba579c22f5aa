// SPDX-License-Identifier: Apache-2.0
// SharedConstants: constants of plans in an accelerator's memory, stored once for all programs that read them.
//
// Threads: all members are safe from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <tuple>

#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/plan.h"

namespace nestrt::evta {

class SharedConstants {
 public:
  // Returns memory that contains `bytes` of the plan. `offset`: see Transport::allocate(). Dropping the last reference
  // releases the memory. Errors: kOutOfMemory, kDeviceFault.
  Result<std::shared_ptr<DeviceBuffer>> get(Transport& transport, const std::shared_ptr<const Plan>& plan,
                                            std::span<const std::byte> bytes, uint64_t offset);

 private:
  // Identifies a plan by its ownership, so that a new plan at the same address counts as different.
  struct Key {
    std::weak_ptr<const Plan> plan;
    std::tuple<const std::byte*, size_t, uint64_t> bytes;

    bool operator<(const Key& other) const {
      if (plan.owner_before(other.plan)) return true;
      return !other.plan.owner_before(plan) && bytes < other.bytes;
    }
  };

  static constexpr size_t kFew = 64;

  void forget_expired() NESTRT_REQUIRES(mutex_);

  Mutex mutex_;
  std::map<Key, std::weak_ptr<DeviceBuffer>> buffers_ NESTRT_GUARDED_BY(mutex_);
  // Expired entries are removed when this size is reached; scanning for them on every insertion would be quadratic.
  size_t most_ NESTRT_GUARDED_BY(mutex_) = kFew;
};

// Uploads constants that are not shared with other programs. Errors: kOutOfMemory, kDeviceFault.
Result<std::shared_ptr<DeviceBuffer>> upload(Transport& transport, std::span<const std::byte> bytes, uint64_t offset);

}  // namespace nestrt::evta
