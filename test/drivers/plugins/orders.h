// SPDX-License-Identifier: Apache-2.0
// Orders that a test gives to a plug-in in another process, in a file that both processes map. Each order makes one
// call of one function misbehave, in sequence.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace nestrt::vendor::test {

// The environment variable with the file's name.
inline constexpr char kOrdersVariable[] = "NESTRT_TEST_ORDERS";

enum class Entry : uint8_t {
  kOpen,
  kDescribe,
  kLoad,
  kUnload,
  kAllocateShared,
  kFreeShared,
  kBind,
  kSubmit,
  kWait,
  kCancel,
  kReset,
  kSelfTest,
  kClose,
  kWork,  // submit or self_test, whichever comes first
};
inline constexpr int kNumEntries = 13;  // except kWork

enum class Fault : uint8_t {
  kNone,
  kSegmentationFault,
  kAbort,
  kExit,
  kScribble,     // overwrites the ports of the last bound program before a crash
  kForge,        // writes to its process's descriptors before a crash
  kLoop,         // does not return
  kWrongStatus,  // returns an undefined status
  kError,        // fails according to the interface
  kHang,         // for kWork: the run continues until it is cancelled or reset
};
inline constexpr int kNumFaults = 8;  // starting at kSegmentationFault, except kHang

class Orders {
 public:
  void give(Entry entry, Fault fault) {
    const uint32_t at = given_.load();
    orders_[at % orders_.size()].store(static_cast<uint32_t>(entry) << 8 | static_cast<uint32_t>(fault));
    given_.store(at + 1);
  }
  void forget() { taken_.store(given_.load()); }
  bool all_taken() const { return taken_.load() == given_.load(); }

  // Returns the next order if it is for that call.
  Fault peek(Entry entry) const { return fault_for(entry, taken_.load()); }
  Fault take(Entry entry) {
    uint32_t at = taken_.load();
    const Fault fault = fault_for(entry, at);
    return fault != Fault::kNone && taken_.compare_exchange_strong(at, at + 1) ? fault : Fault::kNone;
  }

 private:
  Fault fault_for(Entry entry, uint32_t at) const {
    if (at == given_.load()) return Fault::kNone;
    const uint32_t order = orders_[at % orders_.size()].load();
    const auto wanted = static_cast<Entry>(order >> 8);
    const bool is_work = wanted == Entry::kWork && (entry == Entry::kSubmit || entry == Entry::kSelfTest);
    return wanted == entry || is_work ? static_cast<Fault>(order & 0xff) : Fault::kNone;
  }

  std::atomic<uint32_t> given_{0}, taken_{0};
  std::array<std::atomic<uint32_t>, 64> orders_{};
};

}  // namespace nestrt::vendor::test
