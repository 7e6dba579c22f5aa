// Pad: adds elements around the input, or crops it where a pad is negative. Cropping comes first: what is reflected or
// repeated is the edge of what remains.
#pragma once

#include <array>
#include <cstdint>

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& pad_rules();

// One axis: output element i comes from input element i - begin where that lies in [low, high).
struct PadAxis {
  int64_t begin = 0, low = 0, high = 0;

  bool contains(int64_t source) const { return source >= low && source < high; }
  // The input element that a position outside [low, high) takes; the modes reflect and edge.
  int64_t outside(int64_t source, plan::PadMode mode) const {
    if (mode == plan::PadMode::edge) return source < low ? low : high - 1;
    return source < low ? 2 * low - source : 2 * (high - 1) - source;
  }
};
using PadAxes = std::array<PadAxis, Shape::kMaxRank>;

// Requires: infer has accepted the operator.
PadAxes pad_axes(const OperatorSpec& spec);

Result<std::unique_ptr<Kernel>> prepare_pad_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
