// HostTensor: a dense, row-major tensor that owns its elements. Inputs and results of the compiler's own evaluation.
#pragma once

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct HostTensor {
  DataType type = DataType::kF32;
  Shape shape;
  Bytes elements;  // size: type and shape's
};

}  // namespace nestrt::compiler
