// SharedConstants: constants of plans in an accelerator's memory, each once for all programs that read it.
//
// Threads: all members from any thread.
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
  // Memory that holds `bytes`, which are the plan's. `offset`: as Transport::allocate() has it. Stays as long as
  // somebody has it. Errors: kOutOfMemory, kDeviceFault.
  Result<std::shared_ptr<DeviceBuffer>> get(Transport& transport, const std::shared_ptr<const Plan>& plan,
                                            std::span<const std::byte> bytes, uint64_t offset);

 private:
  // A plan is itself, even where another one has come to lie at its address.
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
  // Expired ones are looked for when there are as many: all of them for each new one would be quadratic.
  size_t most_ NESTRT_GUARDED_BY(mutex_) = kFew;
};

// What no program shares. Errors: kOutOfMemory, kDeviceFault.
Result<std::shared_ptr<DeviceBuffer>> upload(Transport& transport, std::span<const std::byte> bytes, uint64_t offset);

}  // namespace nestrt::evta
