// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/dram_map.h"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/evta/errors.h"

namespace nestrt::evta {
namespace {

constexpr uint64_t kAddressSpace = uint64_t{1} << 32;

}  // namespace

Result<DramMap> DramMap::create(std::span<const MemoryRange> ranges) {
  DramMap map;
  map.ranges_.assign(ranges.begin(), ranges.end());
  std::sort(map.ranges_.begin(), map.ranges_.end(),
            [](const MemoryRange& a, const MemoryRange& b) { return a.address < b.address; });
  uint64_t end = 0;
  for (const MemoryRange& range : map.ranges_) {
    if (range.address > kAddressSpace || range.size > kAddressSpace - range.address)
      return invalid_program(fmt::format("a memory range of {} bytes at {} exceeds 4 GiB", range.size, range.address));
    if (range.address < end)
      return invalid_program(fmt::format("the memory range at {} overlaps the previous one", range.address));
    end = range.address + range.size;
  }
  return map;
}

Result<const MemoryRange*> DramMap::find(uint64_t address, uint64_t size, MemoryRange::Access access) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](uint64_t value, const MemoryRange& range) { return value < range.address; });
  const bool writes = access == MemoryRange::Access::kWrite;
  if (after != ranges_.begin()) {
    const MemoryRange& range = *(after - 1);
    const uint64_t offset = address - range.address;
    if (offset <= range.size && size <= range.size - offset) {
      if (allows(range.access, access)) return &range;
      return invalid_program(fmt::format("{} the memory range at {}, which does not allow it",
                                         writes ? "writes to" : "reads from", range.address));
    }
  }
  return invalid_program(
      fmt::format("{}{} bytes at {}, which are not in a memory range", writes ? "writes " : "reads ", size, address));
}

}  // namespace nestrt::evta
