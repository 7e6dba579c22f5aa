// SPDX-License-Identifier: Apache-2.0
// FailingMemory: fault injection into allocations. The test program replaces operator new and aligned_alloc. Direct
// callers of malloc, such as the C library, are unaffected.
#pragma once

#include <cstdint>
#include <functional>

#include "nestrt/status.h"

namespace nestrt::test {

enum class Shortage {
  kOnce,     // one allocation fails
  kLasting,  // that one and all later ones
};

// Fails allocation `number` (counted from 0) on any thread. At most one object at a time.
class FailingMemory {
 public:
  FailingMemory(int64_t number, Shortage shortage);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  // Returns the number of allocations since construction.
  int64_t count() const;
};

// Returns the number of live blocks of operator new.
int64_t live_blocks();

// Runs `work`, which must leave nothing allocated, once for each of its allocations, or for about `most` of them spread
// evenly, and fails that allocation. The test fails if the result is neither success nor kOutOfMemory, if `work` throws
// or does not work afterwards, or if a run leaks a descriptor or more than `kept` blocks, which libraries may leak.
void fail_every_allocation(int most, const std::function<Status()>& work, int64_t kept = 0);

}  // namespace nestrt::test
