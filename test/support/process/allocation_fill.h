// SPDX-License-Identifier: Apache-2.0
// AllocationFill: during its lifetime every block that any thread allocates initially holds `stale`: arenas, scratch,
// and kernels' prepared data. Without effect under ThreadSanitizer. At most one AllocationFill or AllocationCounter at
// a time.
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
