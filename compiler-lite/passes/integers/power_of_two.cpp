// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/integers/power_of_two.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compiler-lite/passes/product.h"
#include "kernels/common/quantization/s8_operands.h"

namespace nestrt::compiler {

std::optional<int> exponent_of_scale(float scale) {
  int power = 0;
  if (!(scale > 0) || std::frexp(scale, &power) != 0.5f) return std::nullopt;
  const int exponent = 1 - power;
  return std::abs(exponent) <= kernels::s8::kMaxExponent ? std::optional(exponent) : std::nullopt;
}

std::vector<int8_t> power_of_two_exponents(const Value& weights) {
  if (weights.type != DataType::kS8 || !weights.quantization) return {};
  const auto& zero_points = weights.quantization->zero_points;
  if (std::any_of(zero_points.begin(), zero_points.end(), [](int32_t zero_point) { return zero_point != 0; }))
    return {};
  std::vector<int8_t> exponents;
  for (const float scale : weights.quantization->scales) {
    const std::optional<int> exponent = exponent_of_scale(scale);
    if (!exponent) return {};
    exponents.push_back(static_cast<int8_t>(*exponent));
  }
  return exponents;
}

std::optional<int> power_of_two_exponent(const Value& value) {
  if (value.is_constant() || (value.quantization && value.quantization->axis != -1)) return std::nullopt;
  const std::vector<int8_t> exponents = power_of_two_exponents(value);
  return exponents.size() == 1 ? std::optional<int>(exponents[0]) : std::nullopt;
}

std::vector<int64_t> largest_sums(const Graph& graph, const Node& node) {
  const Value& weights = graph.value(node.inputs[kWeights]);
  const int axis = output_channel_axis(node);
  const auto channels = static_cast<size_t>(weights.shape[axis]);
  const auto elements = static_cast<size_t>(weights.shape.num_elements());
  std::vector<int64_t> sums(channels, 0);
  const auto* const w = weights.data<int8_t>();
  for (size_t i = 0; i < elements; ++i)
    sums[axis == 0 ? i / (elements / channels) : i % channels] += std::abs(int64_t{w[i]} * kernels::s8::kLow);
  if (node.input(kBias) == kNoValue) return sums;
  const auto* const bias = graph.value(node.inputs[kBias]).data<int32_t>();
  for (size_t c = 0; c < channels; ++c) sums[c] += std::abs(int64_t{bias[c]});
  return sums;
}

}  // namespace nestrt::compiler
