// SPDX-License-Identifier: Apache-2.0
// Pad: adds elements around the input, or crops it if a pad is negative. Cropping comes first, so the modes reflect and
// edge use the edge of the cropped input.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/common/framework/elements.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// One axis. Output element i is input element i - begin if that is in [low, high).
struct PadAxis {
  int64_t begin = 0, low = 0, high = 0;

  bool contains(int64_t source) const { return source >= low && source < high; }
  // Returns the position of the input element to use for a position outside [low, high), in the modes reflect and edge.
  int64_t outside(int64_t source, ops::PadMode mode) const {
    if (mode == ops::PadMode::kEdge) return source < low ? low : high - 1;
    return source < low ? 2 * low - source : 2 * (high - 1) - source;
  }
};
using PadAxes = std::array<PadAxis, Shape::kMaxRank>;

// The value of padding elements.
class PadElement {
 public:
  // Requires: infer has accepted the operator.
  explicit PadElement(const OperatorSpec& spec);
  ElementBytes of(const KernelCall& call) const;

 private:
  bool is_operand_;
  size_t bytes_;
  ElementBytes stated_;
};

// Requires: infer has accepted the operator.
PadAxes pad_axes(const OperatorSpec& spec);

// Copies and fills whole rows; supports every plain case.
Result<std::unique_ptr<Kernel>> prepare_pad_rows(const OperatorSpec& spec);

}  // namespace nestrt::kernels
