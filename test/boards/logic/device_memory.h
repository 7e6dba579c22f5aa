// SPDX-License-Identifier: Apache-2.0
// The memory of an emulated board: banks that are separate from the host's memory, so that data is not visible without
// synchronisation, except for shared memory. New memory contains poison.
//
// Threads: safe from any thread. Accesses to the bytes are not synchronised, as in hardware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
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
  // Allocates `size` bytes, rounded up to pages, and returns the address; nullopt if the bank is full or does not
  // exist.
  std::optional<uint64_t> allocate(size_t bank, uint64_t size);
  // Places allocations of the first bank in `pages`, which outlive this object, instead of in separate memory.
  // Requires: nothing is allocated.
  void use_pages(std::span<std::byte> pages) { pages_ = pages; }
  // Makes an allocation use the host's memory at `host`, which is then poisoned.
  void share(uint64_t address, std::byte* host);
  void free(uint64_t address);
  // Returns the bytes at an address; null unless all are in one allocation.
  std::byte* find(uint64_t address, uint64_t size);
  // Returns all allocations from `base`, at addresses relative to it, for a simulator. A correct driver keeps them
  // alive.
  evta::Dram dram(uint64_t base);

 private:
  struct Block {
    uint64_t size;
    std::unique_ptr<std::byte[]> own;
    std::byte* bytes;
  };

  std::byte* make_bytes(size_t bank, uint64_t address, Block& block) const;

  const std::vector<MemoryBank> banks_;
  std::span<std::byte> pages_;
  Mutex mutex_;
  std::map<uint64_t, Block> blocks_ NESTRT_GUARDED_BY(mutex_);  // key: address
};

}  // namespace nestrt::boards
