// The memory of an emulated board: banks of its own, apart from the host's, so that what was never handed over is never
// seen, but for what it shares with the host. Fresh memory holds poison.
//
// Threads: safe from any thread; the bytes themselves are as in hardware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/evta/simulator/dram.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::boards {

inline constexpr uint64_t kPageBytes = 4096;
inline constexpr std::byte kPoison{0xa5};

struct MemoryBank {
  std::string tag;  // at most 15 characters
  uint64_t base = 0;
  uint64_t size = 0;
  bool is_hbm = false;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(std::vector<MemoryBank> banks) : banks_(std::move(banks)) {}

  const std::vector<MemoryBank>& banks() const { return banks_; }
  // The address of `size` bytes, rounded up to pages; empty where the bank is full, or is none.
  std::optional<uint64_t> allocate(size_t bank, uint64_t size);
  // From now on what lies at the address of an allocation is that memory of the host's, which is poisoned.
  void share(uint64_t address, std::byte* host);
  void free(uint64_t address);
  // What lies at an address; null where it is not all of one allocation.
  std::byte* find(uint64_t address, uint64_t size);
  // All allocations, for a simulator. They outlive it where the driver does what it should.
  evta::Dram dram();

 private:
  struct Block {
    uint64_t size;
    std::unique_ptr<std::byte[]> own;
    std::byte* bytes;
  };

  const std::vector<MemoryBank> banks_;
  Mutex mutex_;
  std::map<uint64_t, Block> blocks_ NESTRT_GUARDED_BY(mutex_);  // by address
};

}  // namespace nestrt::boards
