// The element types of ONNX (TensorProto.DataType) for the compiler's.
#pragma once

#include <cstdint>

#include "nestrt/data_type.h"

namespace nestrt::compiler {

int32_t onnx_number(DataType type);

}  // namespace nestrt::compiler
