// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/ops/product_bias.h"

#include <fmt/core.h>

#include <cmath>

namespace nestrt::compiler {

Result<ValueId> product_bias(LiteNode& node, size_t index, size_t x) {
  if (!node.has_input(index)) return kNoValue;
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, node.stored_input(index));
  if (node.value(bias).type == DataType::kF32) return bias;
  if (node.value(bias).type != DataType::kS32 || node.shape(bias).rank() != 1)
    return node.unsupported(fmt::format("a bias of type {} and shape {} is not supported", name(node.value(bias).type),
                                        node.shape(bias).to_string()));
  NESTRT_ASSIGN_OR_RETURN(const auto of_x, node.graph().quantization(node.input_tensor(x)));
  NESTRT_ASSIGN_OR_RETURN(const auto of_weights, node.graph().quantization(node.input_tensor(1)));
  if (!of_x || !of_weights || of_x->scales.size() != 1)
    return node.unsupported("an int32 bias requires quantized inputs and weights");
  plan::Quantization steps;
  for (const float scale : of_weights->scales) steps.scales.push_back(of_x->scales[0] * scale);
  for (const float step : steps.scales)
    if (!(std::isfinite(step) && step > 0)) return node.invalid("the products of the scales are out of range");
  steps.zero_points.assign(steps.scales.size(), 0);
  if (steps.scales.size() > 1) steps.axis = 0;
  if (steps.scales.size() > 1 && static_cast<int64_t>(steps.scales.size()) != node.shape(bias)[0])
    return node.invalid(fmt::format("the bias has {} elements, but the weights have {} scales", node.shape(bias)[0],
                                    steps.scales.size()));
  return node.dequantized(index, steps);
}

}  // namespace nestrt::compiler
