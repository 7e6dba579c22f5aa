// DramMap: the ranges of a program, for finding the one that a transfer lies in.
#pragma once

#include <span>
#include <vector>

#include "drivers/evta/program.h"
#include "nestrt/result.h"

namespace nestrt::evta {

class DramMap {
 public:
  // Errors: kInvalidPlan for ranges that overlap or reach beyond the 4 GiB that the accelerator can address.
  static Result<DramMap> create(std::span<const MemoryRange> ranges);

  // The range that holds all of [address, address + size). Errors: kInvalidPlan where none does or it does not allow
  // the access.
  Result<const MemoryRange*> find(uint64_t address, uint64_t size, MemoryRange::Access access) const;

  std::span<const MemoryRange> ranges() const { return ranges_; }

 private:
  std::vector<MemoryRange> ranges_;  // by address
};

}  // namespace nestrt::evta
