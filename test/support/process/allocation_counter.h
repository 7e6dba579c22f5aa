// AllocationCounter: how often, and for how many bytes in all, the process asked the C library for memory while the
// counter lived, on any thread. It begins when all other threads sleep. One counter, or one AllocationFill, at a time.
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
