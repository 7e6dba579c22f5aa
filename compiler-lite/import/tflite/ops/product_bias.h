// SPDX-License-Identifier: Apache-2.0
// The bias of convolutions and matrix products.
#pragma once

#include "compiler-lite/import/tflite/lite_node.h"

namespace nestrt::compiler {

// Returns the bias as real numbers, or kNoValue if the operator has none. The step of an int32 or int64 bias is the
// product of the scales of x (input `x`) and of the weights (input 1).
Result<ValueId> product_bias(LiteNode& node, size_t index, size_t x = 0);

}  // namespace nestrt::compiler
