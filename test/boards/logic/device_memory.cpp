// SPDX-License-Identifier: Apache-2.0
#include "test/boards/logic/device_memory.h"

#include <algorithm>

namespace nestrt::boards {

std::optional<uint64_t> DeviceMemory::allocate(size_t bank, uint64_t size) {
  if (bank >= banks_.size()) return std::nullopt;
  const MemoryBank& place = banks_[bank];
  size = (size + kPageBytes - 1) / kPageBytes * kPageBytes;
  const MutexLock lock(mutex_);
  uint64_t address = std::max(place.base, kPageBytes);  // address 0 stays unused
  for (auto next = blocks_.lower_bound(place.base); next != blocks_.end() && next->first - address < size; ++next)
    address = next->first + next->second.size;
  if (size == 0 || address > place.base + place.size || place.base + place.size - address < size) return std::nullopt;
  Block block{size, nullptr, nullptr};
  block.bytes = make_bytes(bank, address, block);
  if (block.bytes == nullptr) return std::nullopt;
  std::fill_n(block.bytes, size, kPoison);
  blocks_.emplace(address, std::move(block));
  return address;
}

// Returns null if the pages are too few.
std::byte* DeviceMemory::make_bytes(size_t bank, uint64_t address, Block& block) const {
  if (bank == 0 && !pages_.empty()) {
    const uint64_t offset = address - std::max(banks_[0].base, kPageBytes);
    return offset <= pages_.size() && block.size <= pages_.size() - offset ? pages_.data() + offset : nullptr;
  }
  block.own = std::make_unique_for_overwrite<std::byte[]>(block.size);
  return block.own.get();
}

void DeviceMemory::share(uint64_t address, std::byte* host) {
  const MutexLock lock(mutex_);
  Block& block = blocks_.at(address);
  std::copy_n(block.bytes, block.size, host);
  block.own.reset();
  block.bytes = host;
}

void DeviceMemory::free(uint64_t address) {
  const MutexLock lock(mutex_);
  blocks_.erase(address);
}

std::byte* DeviceMemory::find(uint64_t address, uint64_t size) {
  const MutexLock lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *--after;
  if (address - begin > block.size || size > block.size - (address - begin)) return nullptr;
  return block.bytes + (address - begin);
}

evta::Dram DeviceMemory::dram(uint64_t base) {
  const MutexLock lock(mutex_);
  evta::Dram dram;
  for (auto& [address, block] : blocks_)
    if (address >= base) dram.add_read_write(address - base, {block.bytes, block.size});
  return dram;
}

}  // namespace nestrt::boards
