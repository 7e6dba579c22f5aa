// SPDX-License-Identifier: Apache-2.0
// Operands of operators on integers whose zero points and scales are inputs.
#pragma once

#include <string_view>

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

struct IntegerWeights {
  ValueId elements = kNoValue;
  ValueId zero_point = kNoValue;  // kNoValue: 0
};
// Returns the same weights in s8, which kernels keep packed, if they and their zero points are constants of u8.
Result<IntegerWeights> signed_weights(NodeContext& node, IntegerWeights weights);

// Returns input `index`, which must have one element or `columns`, as a scalar or a vector; kNoValue if it is absent.
Result<ValueId> column_values(NodeContext& node, size_t index, int64_t columns, std::string_view what);

// Quantizes `x` with parameters from its data. Returns the integers, their scale and their zero point.
Result<std::vector<ValueId>> dynamic_quantized(NodeContext& node, ValueId x);

}  // namespace nestrt::compiler
