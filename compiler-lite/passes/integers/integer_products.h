// SPDX-License-Identifier: Apache-2.0
// Recovers the integers from the dequantized weights and bias of a Conv or Dense.
#pragma once

#include <optional>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "kernels/common/quantization/s8c_arithmetic.h"

namespace nestrt::compiler {

struct IntegerProduct {
  std::vector<int8_t> weights;  // in the order of the f32 weights
  std::vector<float> scales;    // by output channel
  std::vector<int32_t> bias;    // by output channel, in steps of input scale * weight scale; empty if there is no bias
  bool bias_is_integer = true;  // if false, the bias was rounded to these steps
  double bias_error = 0;        // largest difference from the f32 bias
};

// Returns nullopt if the weights are not a dequantized constant, do not fit s8 with zero point 0, or if sums could
// overflow int32 for some input with this quantization. Requires: Conv or Dense.
std::optional<IntegerProduct> integer_product(const Graph& graph, const Node& node, kernels::s8c::Affine input);

}  // namespace nestrt::compiler
