// SPDX-License-Identifier: Apache-2.0
// AllocationCounter: counts the C library allocations of the process, and their bytes, during its lifetime, on any
// thread. The constructor waits until all other threads sleep. At most one AllocationCounter or AllocationFill at a
// time.
#pragma once

#include <cstdint>

namespace nestrt::test {

class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  int64_t count() const;
  int64_t bytes() const;
};

}  // namespace nestrt::test
