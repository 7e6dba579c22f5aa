// SPDX-License-Identifier: Apache-2.0
// Quantization with integers of other sizes than 8 bits, and with parameters by blocks.
#pragma once

#include <optional>

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// The type of integers in the model.
struct StatedType {
  DataType type = DataType::kU8;    // that stores them
  std::optional<QuantRange> range;  // if it is narrower
};
StatedType stated_type(const Value& value);
// Returns the type for a number of TensorProto.DataType; nullopt if it is not a supported integer.
std::optional<StatedType> stated_type(int32_t onnx_type);

// Quantizes `x` to a type with a range, by float operators that are exact for integers of up to 16 bits.
Result<ValueId> quantized_in_range(NodeContext& node, ValueId x, const plan::Quantization& quantization,
                                   const StatedType& type);

// Dequantizes input 0, a constant, with the parameters of inputs 1 and 2, one for each `block` elements along an axis.
// Matrices keep their parameters (Value::source_blocks), so that a product can use the integers.
Result<ValueId> dequantized_blocks(NodeContext& node, int64_t block, int64_t stated_axis);

}  // namespace nestrt::compiler
