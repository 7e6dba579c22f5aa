// SPDX-License-Identifier: Apache-2.0
// Converts to the types of narrow_types.h, which graphs represent as s8, u8 or f32.
#pragma once

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/onnx/narrow_types.h"

namespace nestrt::compiler {

// Converts x like Cast. Integers keep their low bits. Floats are rounded to the nearest number of the type (even on a
// tie). Out-of-range floats become the largest number if `saturates` is set, or else infinity or NaN.
Result<ValueId> narrowed(NodeContext& node, ValueId x, const NarrowType& type, bool saturates);

// Returns x / scale + zero_point, rounded and saturated to the range of `type`, or of s8 or u8 if `type` is null.
// `zero_point` may be kNoValue. All operands are f32 and broadcast to x.
Result<ValueId> quantized_to(NodeContext& node, ValueId x, ValueId scale, ValueId zero_point, const NarrowType* type,
                             DataType result, bool saturates);

}  // namespace nestrt::compiler
