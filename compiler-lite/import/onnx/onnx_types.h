// The element types of ONNX (TensorProto.DataType), by their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nestrt/data_type.h"

namespace nestrt::compiler {

// The type that stands for an ONNX one (float16, bfloat16 and double become f32); absent for what nestrt lacks.
std::optional<DataType> converted_type(int32_t onnx_type);
// "float16"; "unknown type 99".
std::string onnx_type_name(int32_t onnx_type);

}  // namespace nestrt::compiler
