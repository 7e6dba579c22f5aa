// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/quantized/mct.h"

#include <fmt/core.h>

#include <cmath>

#include "compiler-lite/import/ops/quantized/quant_range.h"

namespace nestrt::compiler {
namespace {

constexpr int64_t kMctMinBits = 2, kMctMaxBits = 16;

Result<int> read_bits(NodeContext& node) {
  node.ignore("mctq_version");
  NESTRT_ASSIGN_OR_RETURN(const int64_t bits, node.required_int("num_bits"));
  if (bits >= kMctMinBits && bits <= kMctMaxBits) return static_cast<int>(bits);
  return node.unsupported(fmt::format("num_bits is {}; supported: {} to {}", bits, kMctMinBits, kMctMaxBits));
}

Status check_scales(const NodeContext& node, const plan::Quantization& quantization) {
  for (const float scale : quantization.scales)
    if (!(std::isfinite(scale) && scale > 0))
      return node.invalid("thresholds must be positive, and upper limits must exceed lower limits");
  return {};
}

Status finish_quantizer(NodeContext& node, const QuantRange& range, const plan::Quantization& quantization) {
  NESTRT_RETURN_IF_ERROR(check_scales(node, quantization));
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  if (node.type(x) != DataType::kF32) return node.unsupported("only float inputs are supported");
  return node.set_output(quantized_and_back(node, x, range, quantization));
}

void add_symmetric(plan::Quantization& quantization, float threshold, int bits, bool is_signed) {
  quantization.scales.push_back(std::ldexp(threshold, is_signed ? 1 - bits : -bits));
  quantization.zero_points.push_back(0);
}

// Shifts the range so that an integer represents zero. Extends a range that does not contain zero to zero.
void add_uniform(plan::Quantization& quantization, double low, double high, int bits) {
  const double steps = std::ldexp(1.0, bits) - 1;
  const double first = low > 0 ? 0 : low, last = high < 0 ? 0 : high;
  const double scale = (last - first) / steps;
  quantization.scales.push_back(static_cast<float>(scale));
  const double zero_point = std::nearbyint(-first / scale);
  quantization.zero_points.push_back(zero_point >= 0 && zero_point <= steps ? static_cast<int32_t>(zero_point) : 0);
}

// Returns the channel axis, or -1 if there is only one limit.
Result<int> channel_axis(NodeContext& node, size_t count) {
  node.ignore("signed");  // weights are always signed
  const bool is_per_channel = node.flag("per_channel", false);
  const int64_t stated = node.attribute("channel_axis", int64_t{0});
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  if (!is_per_channel) {
    if (count == 1) return -1;
    return node.invalid(fmt::format("has {} limits, but does not quantize per channel", count));
  }
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated, node.shape(x).rank()));
  if (static_cast<int64_t>(count) == node.shape(x)[axis]) return count == 1 ? -1 : axis;
  return node.invalid(
      fmt::format("{} limits do not match axis {} of shape {}", count, axis, node.shape(x).to_string()));
}

}  // namespace

Status import_mct_symmetric_activation(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const int bits, read_bits(node));
  const bool is_signed = node.flag("signed", true);
  plan::Quantization quantization;
  add_symmetric(quantization, node.attribute("threshold", 0.0F), bits, is_signed);
  return finish_quantizer(node, integer_range(bits, is_signed), quantization);
}

Status import_mct_uniform_activation(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const int bits, read_bits(node));
  node.ignore("signed");
  plan::Quantization quantization;
  const float low = node.attribute("min_range", 0.0F), high = node.attribute("max_range", 0.0F);
  if (!(low < high)) return node.invalid(fmt::format("the range {} to {} is empty", low, high));
  add_uniform(quantization, low, high, bits);
  return finish_quantizer(node, integer_range(bits, false), quantization);
}

Status import_mct_symmetric_weights(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const int bits, read_bits(node));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> thresholds, node.constant_floats(1, "the threshold"));
  plan::Quantization quantization;
  NESTRT_ASSIGN_OR_RETURN(quantization.axis, channel_axis(node, thresholds.size()));
  for (const float threshold : thresholds) add_symmetric(quantization, threshold, bits, true);
  return finish_quantizer(node, integer_range(bits, true), quantization);
}

Status import_mct_uniform_weights(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const int bits, read_bits(node));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> lows, node.constant_floats(1, "the lower limit"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> highs, node.constant_floats(2, "the upper limit"));
  if (lows.size() != highs.size())
    return node.invalid(fmt::format("{} lower limits do not match {} upper limits", lows.size(), highs.size()));
  plan::Quantization quantization;
  NESTRT_ASSIGN_OR_RETURN(quantization.axis, channel_axis(node, lows.size()));
  for (size_t i = 0; i < lows.size(); ++i) {
    if (!(lows[i] < highs[i])) return node.invalid(fmt::format("the range {} to {} is empty", lows[i], highs[i]));
    add_uniform(quantization, lows[i], highs[i], bits);
  }
  return finish_quantizer(node, integer_range(bits, false), quantization);
}

}  // namespace nestrt::compiler
