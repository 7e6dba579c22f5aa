// SPDX-License-Identifier: Apache-2.0
// Operands of integer operators whose zero points and scales are inputs.
#pragma once

#include <string_view>

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

struct IntegerWeights {
  ValueId elements = kNoValue;
  ValueId zero_point = kNoValue;  // kNoValue: 0
};
// Returns the weights as s8, which kernels keep packed, if the weights and their zero points are u8 constants.
Result<IntegerWeights> signed_weights(NodeContext& node, IntegerWeights weights);

// Returns input `index`, which must contain one element or `columns` elements, as a scalar or a vector; kNoValue if it
// is absent.
Result<ValueId> column_values(NodeContext& node, size_t index, int64_t columns, std::string_view what);

// Quantizes `x` with parameters from its data. Returns the integers, their scale and their zero point.
Result<std::vector<ValueId>> dynamic_quantized(NodeContext& node, ValueId x);

}  // namespace nestrt::compiler
