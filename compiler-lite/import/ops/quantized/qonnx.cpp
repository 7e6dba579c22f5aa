// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/quantized/qonnx.h"

#include <fmt/core.h>

#include <cmath>

#include "compiler-lite/import/ops/quantized/quant_range.h"

namespace nestrt::compiler {
namespace {

constexpr int kMinBits = 2, kMaxBits = 8;

Result<QuantRange> read_range(NodeContext& node) {
  const bool is_signed = node.flag("signed", true), is_narrow = node.flag("narrow", false);
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> bits, node.constant_floats(3, "the bit width"));
  if (bits.size() != 1 || bits[0] != std::floor(bits[0]) || bits[0] < kMinBits || bits[0] > kMaxBits)
    return node.unsupported(
        fmt::format("only one bit width, an integer of {} to {}, is supported", kMinBits, kMaxBits));
  return integer_range(static_cast<int>(bits[0]), is_signed, is_narrow);
}

// Reads the scales and zero points from inputs 1 and 2: a single pair, or one pair per index of an axis.
Result<plan::Quantization> read_parameters(NodeContext& node, const QuantRange& range, const Shape& x) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(std::vector<float> scales, node.constant_floats(1, "the scale"));
  NESTRT_ASSIGN_OR_RETURN(std::vector<float> zero_points, node.constant_floats(2, "the zero point"));
  const Shape shape = node.shape(scale);
  plan::Quantization result;
  if (scales.size() > 1) {
    int axis = 0;
    while (axis < shape.rank() && shape[axis] == 1) ++axis;
    if (shape.rank() != x.rank() || shape[axis] != static_cast<int64_t>(scales.size()) || shape[axis] != x[axis])
      return node.unsupported(
          fmt::format("scales of shape {} do not belong to one axis of {}", shape.to_string(), x.to_string()));
    result.axis = axis;
  }
  if (zero_points.size() == 1) zero_points.resize(scales.size(), zero_points[0]);
  if (scales.empty() || zero_points.size() != scales.size())
    return node.invalid(fmt::format("{} scales do not match {} zero points", scales.size(), zero_points.size()));
  for (size_t i = 0; i < scales.size(); ++i) {
    if (!(std::isfinite(scales[i]) && scales[i] > 0)) return node.invalid("scales must be positive and finite");
    if (zero_points[i] != std::floor(zero_points[i]) || zero_points[i] < static_cast<float>(range.low) ||
        zero_points[i] > static_cast<float>(range.high))
      return node.unsupported(
          fmt::format("zero point {} is not an integer of {} to {}", zero_points[i], range.low, range.high));
    result.zero_points.push_back(static_cast<int32_t>(zero_points[i]));
  }
  result.scales = std::move(scales);
  return result;
}

}  // namespace

Status import_quant(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  if (node.type(x) != DataType::kF32) return node.unsupported("only floats can be quantized");
  const std::string rounding = node.attribute("rounding_mode", "ROUND");
  if (rounding != "ROUND" && rounding != "HALF_EVEN")
    return node.unsupported(
        fmt::format("rounding mode {} is not supported; supported: ROUND, which is half to even", rounding));
  NESTRT_ASSIGN_OR_RETURN(const QuantRange range, read_range(node));
  NESTRT_ASSIGN_OR_RETURN(const plan::Quantization quantization, read_parameters(node, range, node.shape(x)));
  return node.set_output(quantized_and_back(node, x, range, quantization));
}

}  // namespace nestrt::compiler
