// SPDX-License-Identifier: Apache-2.0
// ONNX element types (TensorProto.DataType) by nestrt type.
#pragma once

#include <cstdint>

#include "nestrt/data_type.h"

namespace nestrt::compiler {

int32_t onnx_number(DataType type);

}  // namespace nestrt::compiler
