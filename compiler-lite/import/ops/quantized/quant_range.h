// SPDX-License-Identifier: Apache-2.0
// Quantization to part of the integers of a type, as quantizers of fewer than 8 bits write it.
#pragma once

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

struct QuantRange {
  DataType type = DataType::kS8;
  int low = -128, high = 127;

  // Returns true if the range is that of a byte.
  bool is_full() const { return high - low == 255; }
  bool fits_type() const { return type == DataType::kS8 ? low >= -128 && high <= 127 : low >= 0 && high <= 255; }
};

// Limits x to the numbers that `range` represents. As rounding is monotonic, quantizing the result gives no integers
// outside the range. Requires: zero points within the range.
Result<ValueId> limited_to_range(NodeContext& node, ValueId x, const QuantRange& range,
                                 const plan::Quantization& quantization);

// Returns (round(clip(x / scale + zero_point)) - zero_point) * scale, half to even. QuantizeLinear adds the zero point
// after it rounds, so that ties differ if the zero point is odd: the result is then computed in f32, and also if the
// range does not fit its type.
Result<ValueId> quantized_and_back(NodeContext& node, ValueId x, const QuantRange& range,
                                   const plan::Quantization& quantization);

}  // namespace nestrt::compiler
