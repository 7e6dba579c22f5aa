// SPDX-License-Identifier: Apache-2.0
// HostTensor: a dense, row-major tensor that owns its elements. Used for inputs and results of evaluation in the
// compiler.
#pragma once

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct HostTensor {
  DataType type = DataType::kF32;
  Shape shape;
  Bytes elements;  // as many bytes as type and shape require
};

}  // namespace nestrt::compiler
