// SPDX-License-Identifier: Apache-2.0
// Budget: limits the cost of processing a file, in one unit of measure (bytes, steps, entries). The limit is a fixed
// amount for any file plus an amount per byte. A reader charges all work to a budget before doing it. Work on data that
// is stored once but used repeatedly is charged for every use. The cost is therefore at most proportional to the size
// of the file (docs/concepts/security.md).
#pragma once

#include <cstdint>
#include <limits>

namespace nestrt {

class Budget {
 public:
  constexpr explicit Budget(uint64_t limit) : limit_(limit) {}
  // Returns a budget of `free` for any file, plus `per_byte` for each of the `bytes` of the actual file.
  static constexpr Budget of_file(uint64_t free, uint64_t per_byte, uint64_t bytes) {
    Budget budget(free);
    budget.extend(per_byte, bytes);
    return budget;
  }

  // Subtracts `cost` and returns true, or returns false and changes nothing if less than `cost` is left.
  [[nodiscard]] constexpr bool charge(uint64_t cost) {
    if (cost > left()) return false;
    spent_ += cost;
    return true;
  }
  // Extends the budget if the file turns out to be `bytes` longer.
  constexpr void extend(uint64_t per_byte, uint64_t bytes) {
    uint64_t more = 0;
    if (__builtin_mul_overflow(per_byte, bytes, &more) || __builtin_add_overflow(limit_, more, &limit_))
      limit_ = std::numeric_limits<uint64_t>::max();
  }

  constexpr uint64_t limit() const { return limit_; }
  constexpr uint64_t left() const { return limit_ - spent_; }

 private:
  uint64_t limit_;
  uint64_t spent_ = 0;
};

}  // namespace nestrt
