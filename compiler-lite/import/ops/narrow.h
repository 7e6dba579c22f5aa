// SPDX-License-Identifier: Apache-2.0
// Conversion to the types of narrow_types.h, which graphs represent as s8, u8 or f32.
#pragma once

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/onnx/narrow_types.h"

namespace nestrt::compiler {

// Cast: integers keep their low bits; floats are rounded to the nearest number of the type, the even one on a tie, and
// larger ones become the largest number (`saturates`), infinite or NaN.
Result<ValueId> narrowed(NodeContext& node, ValueId x, const NarrowType& type, bool saturates);

// Returns x / scale + zero_point, rounded and saturated to the range of `type`, which may also be the range of s8 or u8
// (null). `zero_point` may be kNoValue. All operands are f32 and broadcast to x.
Result<ValueId> quantized_to(NodeContext& node, ValueId x, ValueId scale, ValueId zero_point, const NarrowType* type,
                             DataType result, bool saturates);

}  // namespace nestrt::compiler
