// SPDX-License-Identifier: Apache-2.0
// FoldingBudget: limits for computing constants, in bytes of results and in steps, for all passes together. The model's
// constants add to both, so weights of any size can be transposed or converted.
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
  // Added per byte of a constant.
  static constexpr uint64_t kBytesPerByte = 1, kStepsPerByte = 8;

  explicit FoldingBudget(int64_t bytes = kBytes, int64_t steps = kSteps)
      : bytes_(static_cast<uint64_t>(bytes)), steps_(static_cast<uint64_t>(steps)) {}

  // Extends the limits for a constant of the model of `bytes` bytes.
  void extend(size_t bytes) {
    bytes_.extend(kBytesPerByte, bytes);
    steps_.extend(kStepsPerByte, bytes);
  }

  // Returns false without charging if the budget is too small.
  [[nodiscard]] bool charge(uint64_t bytes, uint64_t steps) {
    return bytes <= bytes_.left() && steps_.charge(steps) && bytes_.charge(bytes);
  }

  const Budget& bytes() const { return bytes_; }

 private:
  Budget bytes_, steps_;
};

}  // namespace nestrt::compiler
