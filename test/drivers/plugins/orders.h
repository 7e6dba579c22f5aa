// What a test tells a plug-in that runs in another process to do wrong, in a file that both have mapped: each order is
// for one call of one function, in turn.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace nestrt::vendor::test {

// The environment variable that names the file.
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
inline constexpr int kNumEntries = 13;  // but for kWork

enum class Fault : uint8_t {
  kNone,
  kSegmentationFault,
  kAbort,
  kExit,
  kScribble,     // over the ports of the program that was bound last, before a crash
  kForge,        // writes to its process's descriptors, before a crash
  kLoop,         // does not come back
  kWrongStatus,  // answers with a status that the interface does not have
  kError,        // fails as the interface has it
  kHang,         // of kWork: the run goes on until it is cancelled or reset
};
inline constexpr int kNumFaults = 8;  // from kSegmentationFault on, but for kHang

class Orders {
 public:
  void give(Entry entry, Fault fault) {
    const uint32_t at = given_.load();
    orders_[at % orders_.size()].store(static_cast<uint32_t>(entry) << 8 | static_cast<uint32_t>(fault));
    given_.store(at + 1);
  }
  void forget() { taken_.store(given_.load()); }
  bool all_taken() const { return taken_.load() == given_.load(); }

  // The next order, where it is for that call.
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
