// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/quantized/quant_range.h"

#include <algorithm>

namespace nestrt::compiler {
namespace {

// Quantizes and dequantizes in f32.
Result<ValueId> quantized_in_floats(NodeContext& node, ValueId x, const QuantRange& range,
                                    const plan::Quantization& quantization) {
  const int rank = node.shape(x).rank();
  const std::vector<float> zeros(quantization.zero_points.begin(), quantization.zero_points.end());
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, broadcast_numbers(node, quantization.scales, quantization.axis, rank));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, broadcast_numbers(node, zeros, quantization.axis, rank));
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kDiv, x, scale));
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kAdd, x, zero));
  NESTRT_ASSIGN_OR_RETURN(x, node.unary(ops::UnaryKind::kRound, x));
  NESTRT_ASSIGN_OR_RETURN(
      x, node.unary(ops::UnaryKind::kClip, x, static_cast<float>(range.low), static_cast<float>(range.high)));
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kSub, x, zero));
  return node.binary(ops::BinaryKind::kMul, x, scale);
}

bool has_odd_zero_point(const plan::Quantization& quantization) {
  return std::ranges::any_of(quantization.zero_points, [](int32_t zero) { return zero % 2 != 0; });
}

}  // namespace

QuantRange integer_range(int bits, bool is_signed, bool is_narrow) {
  const int levels = 1 << bits;
  if (is_signed) return {DataType::kS8, -levels / 2 + (is_narrow ? 1 : 0), levels / 2 - 1};
  return {DataType::kU8, 0, levels - (is_narrow ? 2 : 1)};
}

Result<ValueId> broadcast_numbers(NodeContext& node, const std::vector<float>& numbers, int axis, int rank) {
  if (numbers.size() == 1) return node.scalar(numbers[0]);
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == axis ? static_cast<int64_t>(numbers.size()) : 1);
  return node.constant(numbers, shape);
}

Result<ValueId> limited_to_range(NodeContext& node, ValueId x, const QuantRange& range,
                                 const plan::Quantization& quantization) {
  std::vector<float> lows, highs;
  for (size_t i = 0; i < quantization.scales.size(); ++i) {
    lows.push_back(static_cast<float>(range.low - quantization.zero_points[i]) * quantization.scales[i]);
    highs.push_back(static_cast<float>(range.high - quantization.zero_points[i]) * quantization.scales[i]);
  }
  if (lows.size() == 1) return node.unary(ops::UnaryKind::kClip, x, lows[0], highs[0]);
  NESTRT_ASSIGN_OR_RETURN(const ValueId low, broadcast_numbers(node, lows, quantization.axis, node.shape(x).rank()));
  NESTRT_ASSIGN_OR_RETURN(const ValueId high, broadcast_numbers(node, highs, quantization.axis, node.shape(x).rank()));
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kMax, x, low));
  return node.binary(ops::BinaryKind::kMin, x, high);
}

Result<ValueId> quantized_and_back(NodeContext& node, ValueId x, const QuantRange& range,
                                   const plan::Quantization& quantization) {
  if (has_odd_zero_point(quantization) || !range.fits_type()) return quantized_in_floats(node, x, range, quantization);
  if (!range.is_full()) {
    NESTRT_ASSIGN_OR_RETURN(x, limited_to_range(node, x, range, quantization));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId integers, node.add(ops::Quantize{.to = range.type}, {x}, quantization));
  return node.add(ops::Dequantize(), {integers});
}

}  // namespace nestrt::compiler
