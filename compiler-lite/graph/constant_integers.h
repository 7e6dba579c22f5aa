// SPDX-License-Identifier: Apache-2.0
// The integers from which an f32 constant was dequantized.
#pragma once

#include <optional>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct ConstantIntegers {
  DataType type = DataType::kS8;  // s8 or u8 if the values fit, or else s32
  Bytes elements;
};

// Returns nullopt if the constant has no source_quantization or if an element is not a multiple of its scale.
std::optional<ConstantIntegers> constant_integers(const Value& constant);

}  // namespace nestrt::compiler
