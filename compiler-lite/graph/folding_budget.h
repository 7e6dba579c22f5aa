// SPDX-License-Identifier: Apache-2.0
// FoldingBudget: limits on computing constants, in result bytes and in steps, for all passes together. The model's own
// constants raise both limits, so weights of any size can be transposed or converted. Small constants have a reserve
// that weights cannot use up, because shapes depend on them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/budget.h"

namespace nestrt::compiler {

class FoldingBudget {
 public:
  // Limits for a model without constants.
  static constexpr int64_t kBytes = 48 << 20;
  static constexpr int64_t kSteps = int64_t{1} << 29;
  // Added per byte of a constant. Weights turn into two or three successive constants, such as their norm, their
  // product and its transpose.
  static constexpr uint64_t kBytesPerByte = 3, kStepsPerByte = 8;
  // The reserve for small constants, and the size of the largest constant that may use it.
  static constexpr uint64_t kReserveBytes = 16 << 20, kReserveSteps = uint64_t{1} << 26;
  static constexpr uint64_t kSmallBytes = 16 << 10, kSmallSteps = 1 << 16;

  explicit FoldingBudget(int64_t bytes = kBytes, int64_t steps = kSteps)
      : bytes_(static_cast<uint64_t>(bytes)), steps_(static_cast<uint64_t>(steps)) {}

  // Raises the limits for a model constant of `bytes` bytes.
  void extend(size_t bytes) {
    bytes_.extend(kBytesPerByte, bytes);
    steps_.extend(kStepsPerByte, bytes);
  }

  // Returns whether charge() accepts a result of `bytes` bytes that needs no steps.
  bool fits(uint64_t bytes) const {
    return bytes <= bytes_.left() || (bytes <= kSmallBytes && bytes <= reserve_bytes_.left());
  }

  // Returns false without charging if the budget is too small.
  [[nodiscard]] bool charge(uint64_t bytes, uint64_t steps) {
    if (bytes <= kSmallBytes && steps <= kSmallSteps && charge(bytes, steps, reserve_bytes_, reserve_steps_))
      return true;
    return charge(bytes, steps, bytes_, steps_);
  }

  // The limit for results that are not small.
  uint64_t max_bytes() const { return bytes_.limit(); }

 private:
  static bool charge(uint64_t bytes, uint64_t steps, Budget& all_bytes, Budget& all_steps) {
    return bytes <= all_bytes.left() && all_steps.charge(steps) && all_bytes.charge(bytes);
  }

  Budget bytes_, steps_;
  Budget reserve_bytes_{kReserveBytes}, reserve_steps_{kReserveSteps};
};

}  // namespace nestrt::compiler
