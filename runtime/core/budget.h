// Budget: what the answer to a file may cost, in one currency (bytes, steps, entries): so much for any file, and so
// much for each of its bytes. Whoever reads a file charges all that it does to budgets, what a file says once and uses
// often once for each use, before it does it; so no file costs more than in proportion to its size (docs/security.md).
#pragma once

#include <cstdint>
#include <limits>

namespace nestrt {

class Budget {
 public:
  constexpr explicit Budget(uint64_t limit) : limit_(limit) {}
  // `free` for any file, and `per_byte` for each of the `bytes` of this one.
  static constexpr Budget of_file(uint64_t free, uint64_t per_byte, uint64_t bytes) {
    Budget budget(free);
    budget.extend(per_byte, bytes);
    return budget;
  }

  // Takes `cost`; false, and nothing is taken, where less is left.
  [[nodiscard]] constexpr bool charge(uint64_t cost) {
    if (cost > left()) return false;
    spent_ += cost;
    return true;
  }
  // For a file that turns out to be longer by `bytes`.
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
