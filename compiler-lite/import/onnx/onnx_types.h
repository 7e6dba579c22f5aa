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
// Returns the type's name, such as "float16" or "unknown type 99".
std::string onnx_type_name(int32_t onnx_type);

}  // namespace nestrt::compiler
