// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/integers/integer_products.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Returns the scales of the `count` output channels; empty if the weights are quantized along another axis.
std::vector<float> channel_scales(const plan::Quantization& weights, int axis, int64_t count) {
  const auto channels = static_cast<size_t>(count);
  if (weights.scales.size() == 1 && weights.axis == -1) return std::vector<float>(channels, weights.scales[0]);
  if (weights.axis != axis || weights.scales.size() != channels) return {};
  return weights.scales;
}

// Returns the s8 integer whose product with the scale is exactly this float, or nullopt.
std::optional<int8_t> integer_of(float weight, float scale) {
  const float steps = std::nearbyint(weight / scale);
  if (!(steps >= kernels::s8::kLow && steps <= kernels::s8::kHigh) || steps * scale != weight) return std::nullopt;
  return static_cast<int8_t>(steps);
}

// Returns the bias in steps of the accumulator, or nullopt if adding the largest sum of products, `reach`, could
// overflow.
std::optional<int32_t> bias_of(float bias, float step, int64_t reach) {
  const double steps = std::nearbyint(double{bias} / double{step});
  if (!(std::abs(steps) + static_cast<double>(reach) <= INT32_MAX)) return std::nullopt;
  return static_cast<int32_t>(steps);
}

// Returns true if the bias equals `steps` steps, within the three roundings that dequantization applies to bias and
// step.
bool is_integer(float bias, float step, int32_t steps) {
  return std::abs(double{bias} - double{step} * steps) <= std::ldexp(std::abs(double{bias}), -22);
}

}  // namespace

std::optional<IntegerProduct> integer_product(const Graph& graph, const Node& node, kernels::s8c::Affine input) {
  const Value& weights = graph.value(node.inputs[kWeights]);
  const std::span<const float> elements = floats(graph, node.inputs[kWeights]);
  const std::span<const float> biases = floats(graph, node.input(kBias));
  if (!weights.source_quantization || elements.empty() || (node.input(kBias) != kNoValue && biases.empty()))
    return std::nullopt;
  const int axis = output_channel_axis(node);
  IntegerProduct result;
  result.scales = channel_scales(*weights.source_quantization, axis, weights.shape[axis]);
  if (result.scales.empty()) return std::nullopt;
  const size_t channels = result.scales.size(), per_channel = elements.size() / channels;
  std::vector<int64_t> reach(channels, 0);
  const int64_t largest = std::max(input.zero_point - kernels::s8::kLow, kernels::s8::kHigh - input.zero_point);
  for (size_t i = 0; i < elements.size(); ++i) {
    const size_t channel = axis == 0 ? i / per_channel : i % channels;
    const std::optional<int8_t> integer = integer_of(elements[i], result.scales[channel]);
    if (!integer) return std::nullopt;
    result.weights.push_back(*integer);
    reach[channel] += std::abs(int{*integer}) * largest;
  }
  for (size_t c = 0; c < channels; ++c) {
    const float step = input.scale * result.scales[c];
    const auto bias = bias_of(biases.empty() ? 0.0f : biases[c], step, reach[c]);
    if (!bias) return std::nullopt;
    if (biases.empty()) continue;
    result.bias.push_back(*bias);
    if (is_integer(biases[c], step, *bias)) continue;
    result.bias_is_integer = false;
    result.bias_error = std::max(result.bias_error, std::abs(double{biases[c]} - double{step} * *bias));
  }
  return result;
}

}  // namespace nestrt::compiler
