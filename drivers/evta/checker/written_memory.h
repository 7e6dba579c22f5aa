// WrittenMemory: what a program has written of the ranges that it may write. It must have written all of them in the
// end, and nothing that it reads back before: what memory held before a run never comes into a result.
//
// Counts vectors of OUT, which elements of all memories but micro-ops are multiples of. Time: linear in the elements
// that transfers move from and to such ranges; memory: a bit for each vector of a range that is stored to.
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

// The most elements that a program may move from and to what it writes: a hundred times what the largest layers need.
inline constexpr uint64_t kMaxMoved = uint64_t{1} << 26;

class WrittenMemory {
 public:
  // Both outlive it.
  WrittenMemory(const Configuration& configuration, std::span<const MemoryRange> ranges);

  // In the order of the program. `range`, one of those given, may be written and holds all that the transfer touches.
  // Errors: kInvalidPlan for more than kMaxMoved, and for a load of what has not been stored.
  Status store(const MemoryRange& range, const Transfer& transfer);
  Status load(const MemoryRange& range, const Transfer& transfer);
  // Errors: kInvalidPlan where something of a range that may be written has not been stored.
  Status finish() const;

 private:
  using Bits = std::vector<bool>;
  static constexpr uint64_t kAll = UINT64_MAX;

  Status charge(const Transfer& transfer);
  size_t index_of(const MemoryRange& range) const;
  uint64_t vector_bytes() const;
  uint64_t vectors_of(const MemoryRange& range) const;
  uint64_t ceil_vector(uint64_t address) const;
  // Calls visit(first, last) with the vectors of each row, counted from the range's first, until it gives false.
  template <typename Visit>
  void for_each_row(const MemoryRange& range, const Transfer& transfer, Visit visit) const;
  static uint64_t first_unwritten(const Bits& written, uint64_t first, uint64_t last);
  Status failure(const MemoryRange& range, uint64_t vector, std::string_view what) const;

  const Configuration& configuration_;
  std::span<const MemoryRange> ranges_;
  std::vector<Bits> written_;  // by range; empty where nothing has been stored
  uint64_t moved_ = 0;
};

}  // namespace nestrt::evta
