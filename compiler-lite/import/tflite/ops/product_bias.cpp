// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/ops/product_bias.h"

#include <fmt/core.h>

#include <cmath>

namespace nestrt::compiler {
namespace {

// Returns the integers of a bias times the scales that the file states for it. Layers of int16 activations, which have
// no quantization in the graph, have such biases.
Result<ValueId> bias_of_stated_scales(LiteNode& node, size_t index) {
  const tflite::QuantizationParameters* stated = node.graph().tensor(node.input_tensor(index)).quantization();
  const std::vector<float> scales = stated == nullptr ? std::vector<float>() : lite_list(stated->scale());
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> steps, node.ints(index, "the bias"));
  if (scales.empty() || (scales.size() != 1 && scales.size() != steps.size()))
    return node.invalid(fmt::format("an integer bias of {} elements has {} scales", steps.size(), scales.size()));
  std::vector<float> bias;
  for (size_t i = 0; i < steps.size(); ++i)
    bias.push_back(static_cast<float>(static_cast<double>(steps[i]) * scales[scales.size() == 1 ? 0 : i]));
  return node.constant(DataType::kF32, {static_cast<int64_t>(bias.size())}, to_bytes(bias));
}

}  // namespace

Result<ValueId> product_bias(LiteNode& node, size_t index, size_t x) {
  if (!node.has_input(index)) return kNoValue;
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, node.stored_input(index));
  if (node.value(bias).type == DataType::kF32) return bias;
  const DataType type = node.value(bias).type;
  if ((type != DataType::kS32 && type != DataType::kS64) || node.shape(bias).rank() != 1)
    return node.unsupported(
        fmt::format("a bias of type {} and shape {} is not supported", name(type), node.shape(bias).to_string()));
  NESTRT_ASSIGN_OR_RETURN(const auto of_x, node.graph().quantization(node.input_tensor(x)));
  NESTRT_ASSIGN_OR_RETURN(const auto of_weights, node.graph().quantization(node.input_tensor(1)));
  if (!of_x || !of_weights || of_x->scales.size() != 1 || type == DataType::kS64)
    return bias_of_stated_scales(node, index);
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
