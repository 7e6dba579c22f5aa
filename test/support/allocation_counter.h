// AllocationCounter: how often the process asked the C library for memory while the counter lived, on any thread.
// malloc and its relatives are interposed; under a sanitizer, its hooks count. It begins when all
// other threads sleep. One counter at a time.
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
};

}  // namespace nestrt::test
