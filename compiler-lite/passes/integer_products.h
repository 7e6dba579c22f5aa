// The integers behind the float weights and bias of a Conv or Dense, where the model had integers.
#pragma once

#include <optional>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "kernels/common/quantization/s8c_arithmetic.h"

namespace nestrt::compiler {

struct IntegerProduct {
  std::vector<int8_t> weights;  // as the f32 ones lie
  std::vector<float> scales;    // by output channel
  std::vector<int32_t> bias;    // by output channel, in steps of input scale * weight scale; empty for none
  bool bias_is_integer = true;  // else it was rounded to these steps
};

// Empty where the weights are no constant that was dequantized, do not fit s8 with zero point 0, or where sums could
// leave int32 for some input of that quantization. Requires: Conv or Dense.
std::optional<IntegerProduct> integer_product(const Graph& graph, const Node& node, kernels::s8c::Affine input);

}  // namespace nestrt::compiler
