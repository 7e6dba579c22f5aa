// SPDX-License-Identifier: Apache-2.0
// DramMap: finds the range of a program that contains a transfer.
#pragma once

#include <span>
#include <vector>

#include "drivers/evta/program.h"
#include "nestrt/result.h"

namespace nestrt::evta {

class DramMap {
 public:
  // Errors: kInvalidPlan for ranges that overlap or exceed the accelerator's 4 GiB address space.
  static Result<DramMap> create(std::span<const MemoryRange> ranges);

  // Returns the range that contains all of [address, address + size). Errors: kInvalidPlan if no range contains it, or
  // if the range does not allow the access.
  Result<const MemoryRange*> find(uint64_t address, uint64_t size, MemoryRange::Access access) const;

  std::span<const MemoryRange> ranges() const { return ranges_; }

 private:
  std::vector<MemoryRange> ranges_;  // by address
};

}  // namespace nestrt::evta
