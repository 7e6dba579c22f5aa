// SPDX-License-Identifier: Apache-2.0
// Element types of ONNX, by number (TensorProto.DataType).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nestrt/data_type.h"

namespace nestrt::compiler {

// Returns the type that represents an ONNX type (float16, bfloat16 and double become f32), or nullopt if nestrt does
// not support it.
std::optional<DataType> converted_type(int32_t onnx_type);
// An integer type of ONNX whose constants are stored in a wider type: int4, uint16.
struct NarrowType {
  DataType type = DataType::kS8;
  int bits = 0;
  bool is_signed = false;

  int32_t low() const { return is_signed ? -(1 << (bits - 1)) : 0; }
  int32_t high() const { return low() + (1 << bits) - 1; }
};
// Returns nullopt for other types.
std::optional<NarrowType> narrow_type(int32_t onnx_type);
// Returns for example "float16" or "unknown type 99".
std::string onnx_type_name(int32_t onnx_type);

}  // namespace nestrt::compiler
