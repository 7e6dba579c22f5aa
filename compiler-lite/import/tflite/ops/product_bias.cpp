// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/ops/product_bias.h"

#include <fmt/core.h>

#include <cmath>

namespace nestrt::compiler {
namespace {

// Returns the bias's steps: the scale of x times the scales of the weights. The file also contains scales for the bias
// itself, which may differ; LiteRT ignores them.
Result<plan::Quantization> bias_steps(LiteNode& node, int64_t count, size_t x) {
  const tflite::QuantizationParameters* of_x = node.graph().tensor(node.input_tensor(x)).quantization();
  NESTRT_ASSIGN_OR_RETURN(const auto of_weights, node.graph().quantization(node.input_tensor(1)));
  if (of_x == nullptr || lite_size(of_x->scale()) != 1 || !of_weights)
    return node.unsupported("an integer bias requires quantized inputs and weights");
  plan::Quantization steps;
  for (const float scale : of_weights->scales) steps.scales.push_back(of_x->scale()->Get(0) * scale);
  for (const float step : steps.scales)
    if (!(std::isfinite(step) && step > 0)) return node.invalid("the products of the scales are out of range");
  steps.zero_points.assign(steps.scales.size(), 0);
  if (steps.scales.size() == 1) return steps;
  steps.axis = 0;
  if (static_cast<int64_t>(steps.scales.size()) == count) return steps;
  return node.invalid(
      fmt::format("the bias has {} elements, but the weights have {} scales", count, steps.scales.size()));
}

// Returns an int64 bias, which layers with int16 activations use, as real numbers.
Result<ValueId> wide_bias(LiteNode& node, size_t index, const plan::Quantization& steps) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> integers, node.ints(index, "the bias"));
  std::vector<float> bias;
  for (size_t i = 0; i < integers.size(); ++i)
    bias.push_back(
        static_cast<float>(static_cast<double>(integers[i]) * steps.scales[steps.scales.size() == 1 ? 0 : i]));
  return node.constant(DataType::kF32, {static_cast<int64_t>(bias.size())}, to_bytes(bias));
}

}  // namespace

Result<ValueId> product_bias(LiteNode& node, size_t index, size_t x) {
  if (!node.has_input(index)) return kNoValue;
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, node.stored_input(index));
  const DataType type = node.value(bias).type;
  if (type == DataType::kF32) return bias;
  if ((type != DataType::kS32 && type != DataType::kS64) || node.shape(bias).rank() != 1)
    return node.unsupported(
        fmt::format("a bias of type {} and shape {} is not supported", name(type), node.shape(bias).to_string()));
  NESTRT_ASSIGN_OR_RETURN(const plan::Quantization steps, bias_steps(node, node.shape(bias)[0], x));
  return type == DataType::kS64 ? wide_bias(node, index, steps) : node.dequantized(index, steps);
}

}  // namespace nestrt::compiler
