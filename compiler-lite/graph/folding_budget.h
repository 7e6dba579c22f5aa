// FoldingBudget: what computing constants may take, in bytes of results and in steps, all passes together. A model's
// own constants add to both, so that weights of any size may be transposed or converted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/budget.h"

namespace nestrt::compiler {

class FoldingBudget {
 public:
  // For models without constants.
  static constexpr int64_t kBytes = 48 << 20;
  static constexpr int64_t kSteps = int64_t{1} << 29;
  // What each byte of a constant adds.
  static constexpr uint64_t kBytesPerByte = 1, kStepsPerByte = 8;

  explicit FoldingBudget(int64_t bytes = kBytes, int64_t steps = kSteps)
      : bytes_(static_cast<uint64_t>(bytes)), steps_(static_cast<uint64_t>(steps)) {}

  // For a constant of the model of so many bytes.
  void extend(size_t bytes) {
    bytes_.extend(kBytesPerByte, bytes);
    steps_.extend(kStepsPerByte, bytes);
  }

  // False, and nothing is taken, where less is left.
  [[nodiscard]] bool charge(uint64_t bytes, uint64_t steps) {
    return bytes <= bytes_.left() && steps_.charge(steps) && bytes_.charge(bytes);
  }

  const Budget& bytes() const { return bytes_; }

 private:
  Budget bytes_, steps_;
};

}  // namespace nestrt::compiler
