// SPDX-License-Identifier: Apache-2.0
// Quantizes to part of a type's range, as quantizers with fewer than 8 bits require.
#pragma once

#include <vector>

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

struct QuantRange {
  DataType type = DataType::kS8;
  int low = -128, high = 127;

  // Returns true if the range has 256 integers.
  bool is_full() const { return high - low == 255; }
  bool fits_type() const { return type == DataType::kS8 ? low >= -128 && high <= 127 : low >= 0 && high <= 255; }
};

// Returns the range of integers of `bits` bits. `is_narrow`: without the lowest signed or the highest unsigned integer.
QuantRange integer_range(int bits, bool is_signed, bool is_narrow = false);

// Returns a single number, or one number per index of the axis, in a shape that broadcasts to `rank` axes.
Result<ValueId> broadcast_numbers(NodeContext& node, const std::vector<float>& numbers, int axis, int rank);

// Clips x to the real numbers that `range` represents. Because rounding is monotonic, quantizing the result gives no
// integers outside the range. Requires: zero points within the range.
Result<ValueId> limited_to_range(NodeContext& node, ValueId x, const QuantRange& range,
                                 const plan::Quantization& quantization);

// Returns (round(clip(x / scale + zero_point)) - zero_point) * scale, rounding half to even. QuantizeLinear adds the
// zero point after rounding, so ties differ if the zero point is odd. In that case, or if the range does not fit its
// type, the result is computed in f32.
Result<ValueId> quantized_and_back(NodeContext& node, ValueId x, const QuantRange& range,
                                   const plan::Quantization& quantization);

}  // namespace nestrt::compiler
