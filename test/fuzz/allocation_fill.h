// AllocationFill: what memory holds when it is allocated, for showing that no result depends on it.
#pragma once

#include <cstddef>

namespace nestrt::test {

// While it lives, every block that any thread allocates starts as bytes of that value. One at a time. Needs
// AddressSanitizer, which tells of allocations.
class AllocationFill {
 public:
  explicit AllocationFill(std::byte value);
  ~AllocationFill();
  AllocationFill(const AllocationFill&) = delete;
  AllocationFill& operator=(const AllocationFill&) = delete;
};

}  // namespace nestrt::test
