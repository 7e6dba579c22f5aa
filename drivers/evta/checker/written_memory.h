// SPDX-License-Identifier: Apache-2.0
// WrittenMemory: tracks which parts of its writable ranges a program has written. The program must write all of them
// before it ends, and must write data before reading it back. Old contents of memory therefore never affect a result.
//
// Counts vectors of OUT; the elements of all memories except micro-ops are multiples of them. Time: linear in the
// number of elements that transfers move from and to such ranges. Memory: one bit per vector of a range that is stored
// to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "drivers/evta/program.h"
#include "nestrt/status.h"

namespace nestrt::evta {

// Maximum number of elements that a program may move from and to writable ranges: a hundred times the requirement of
// the largest layers.
inline constexpr uint64_t kMaxMoved = uint64_t{1} << 26;

class WrittenMemory {
 public:
  // Both arguments must outlive the object.
  WrittenMemory(const Configuration& configuration, std::span<const MemoryRange> ranges);

  // Call in program order. `range` must be a writable range passed to the constructor, and contain the transfer.
  // Errors: kInvalidPlan if kMaxMoved is exceeded, or if a load reads data that has not been stored.
  Status store(const MemoryRange& range, const Transfer& transfer);
  Status load(const MemoryRange& range, const Transfer& transfer);
  // Errors: kInvalidPlan if part of a writable range has not been stored.
  Status finish() const;

 private:
  using Bits = std::vector<bool>;
  static constexpr uint64_t kAll = UINT64_MAX;

  Status charge(const Transfer& transfer);
  size_t index_of(const MemoryRange& range) const;
  uint64_t vector_bytes() const;
  uint64_t vectors_of(const MemoryRange& range) const;
  uint64_t ceil_vector(uint64_t address) const;
  // Calls visit(first, last) with the vectors of each row, counted from the start of the range, until it returns false.
  template <typename Visit>
  void for_each_row(const MemoryRange& range, const Transfer& transfer, Visit visit) const;
  static uint64_t first_unwritten(const Bits& written, uint64_t first, uint64_t last);
  Status failure(const MemoryRange& range, uint64_t vector, std::string_view what) const;

  const Configuration& configuration_;
  std::span<const MemoryRange> ranges_;
  std::vector<Bits> written_;  // per range; empty if nothing has been stored
  uint64_t moved_ = 0;
};

}  // namespace nestrt::evta
