// AllocationFill: while it lives, every block that any thread allocates holds `stale` before it is written: arenas,
// scratch, and what kernels prepare. Without effect under ThreadSanitizer. One fill, or one AllocationCounter, at a
// time.
#pragma once

#include "test/support/kernel/stale.h"

namespace nestrt::test {

class AllocationFill {
 public:
  explicit AllocationFill(Stale stale);
  ~AllocationFill();
  AllocationFill(const AllocationFill&) = delete;
  AllocationFill& operator=(const AllocationFill&) = delete;
};

}  // namespace nestrt::test
