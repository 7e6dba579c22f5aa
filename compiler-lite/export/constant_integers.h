// The integers that an f32 constant was dequantized from.
#pragma once

#include <optional>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct ConstantIntegers {
  DataType type = DataType::kS8;  // s8 or u8 where they fit, else s32
  Bytes elements;
};

// Empty where the constant has no source_quantization, or not every element is one of its steps.
std::optional<ConstantIntegers> constant_integers(const Value& constant);

}  // namespace nestrt::compiler
