// SPDX-License-Identifier: Apache-2.0
// Quantization to integers of other widths than 8 bits, and with one scale per block.
#pragma once

#include <optional>

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// An integer type of the model, which may be narrower than the type that stores it.
struct StatedType {
  DataType type = DataType::kU8;      // the type that stores the integers
  std::optional<IntegerRange> range;  // set if the range is narrower than that of `type`
};
StatedType stated_type(const Value& value);
// Returns the type for a number of TensorProto.DataType; nullopt if it is not a supported integer.
std::optional<StatedType> stated_type(int32_t onnx_type);

// Quantizes `x` to a type with a range. Uses float operators, which are exact for integers of up to 16 bits.
Result<ValueId> quantize_to_range(NodeContext& node, ValueId x, const plan::Quantization& quantization,
                                  const StatedType& type);

// Dequantizes the constant input 0 with the scales and zero points of inputs 1 and 2, one for every `block` elements
// along an axis. Matrices keep their parameters (Value::source_blocks), so that a product can use the integers.
Result<ValueId> dequantized_blocks(NodeContext& node, int64_t block, int64_t stated_axis);

}  // namespace nestrt::compiler
