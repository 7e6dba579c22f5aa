// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/written_memory.h"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/evta/errors.h"

namespace nestrt::evta {

WrittenMemory::WrittenMemory(const Configuration& configuration, std::span<const MemoryRange> ranges)
    : configuration_(configuration), ranges_(ranges), written_(ranges.size()) {}

Status WrittenMemory::store(const MemoryRange& range, const Transfer& transfer) {
  NESTRT_RETURN_IF_ERROR(charge(transfer));
  Bits& written = written_[index_of(range)];
  if (written.empty()) written.resize(vectors_of(range));
  for_each_row(range, transfer, [&](uint64_t first, uint64_t last) {
    std::fill(written.begin() + static_cast<int64_t>(first), written.begin() + static_cast<int64_t>(last), true);
    return true;
  });
  return {};
}

Status WrittenMemory::load(const MemoryRange& range, const Transfer& transfer) {
  NESTRT_RETURN_IF_ERROR(charge(transfer));
  const Bits& written = written_[index_of(range)];
  uint64_t unwritten = kAll;
  for_each_row(range, transfer, [&](uint64_t first, uint64_t last) {
    unwritten = written.empty() ? first : first_unwritten(written, first, last);
    return unwritten == kAll;
  });
  return unwritten == kAll ? Status() : failure(range, unwritten, "reads data that it has not written");
}

Status WrittenMemory::finish() const {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (!allows(ranges_[i].access, MemoryRange::Access::kWrite)) continue;
    const Bits& written = written_[i];
    const uint64_t unwritten = written.empty() ? 0 : first_unwritten(written, 0, written.size());
    if (unwritten != kAll) return failure(ranges_[i], unwritten, "leaves a result unwritten");
  }
  return {};
}

Status WrittenMemory::charge(const Transfer& transfer) {
  moved_ += uint64_t{transfer.y_size} * transfer.x_size;
  if (moved_ <= kMaxMoved) return {};
  return invalid_program(fmt::format("moves more than {} elements to and from its results", kMaxMoved));
}

size_t WrittenMemory::index_of(const MemoryRange& range) const { return static_cast<size_t>(&range - ranges_.data()); }

uint64_t WrittenMemory::vectors_of(const MemoryRange& range) const {
  return ceil_vector(range.address + range.size) - range.address / vector_bytes();
}

uint64_t WrittenMemory::ceil_vector(uint64_t address) const { return (address + vector_bytes() - 1) / vector_bytes(); }

uint64_t WrittenMemory::vector_bytes() const {
  return static_cast<uint64_t>(configuration_.element_bytes(Memory::kOut));
}

template <typename Visit>
void WrittenMemory::for_each_row(const MemoryRange& range, const Transfer& transfer, Visit visit) const {
  const auto element = static_cast<uint64_t>(configuration_.element_bytes(transfer.memory));
  const uint64_t origin = range.address / vector_bytes();
  for (uint64_t row = 0; row < transfer.y_size; ++row) {
    const uint64_t begin = (transfer.dram_base + row * transfer.x_stride) * element;
    const uint64_t end = begin + transfer.x_size * element;
    if (!visit(begin / vector_bytes() - origin, ceil_vector(end) - origin)) return;
  }
}

uint64_t WrittenMemory::first_unwritten(const Bits& written, uint64_t first, uint64_t last) {
  const auto end = written.begin() + static_cast<int64_t>(last);
  const auto found = std::find(written.begin() + static_cast<int64_t>(first), end, false);
  return found == end ? kAll : static_cast<uint64_t>(found - written.begin());
}

Status WrittenMemory::failure(const MemoryRange& range, uint64_t vector, std::string_view what) const {
  return invalid_program(
      fmt::format("{}: byte {} of the memory range of {} bytes at {}", what,
                  std::max(vector * vector_bytes(), range.address % vector_bytes()) - range.address % vector_bytes(),
                  range.size, range.address));
}

}  // namespace nestrt::evta
