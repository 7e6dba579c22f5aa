// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/s8c_operands.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "kernels/common/framework/rules.h"

namespace nestrt::kernels::s8c {
namespace {

bool holds(DataType type, int32_t zero_point) {
  switch (type) {
    case DataType::kS8:
      return zero_point >= -128 && zero_point <= 127;
    case DataType::kU8:
      return zero_point >= 0 && zero_point <= 255;
    default:
      return type == DataType::kS32;
  }
}

Status check_entry(DataType type, const Affine& entry, const std::string& operand) {
  if (!(std::isfinite(entry.scale) && entry.scale > 0))
    return rule_error(fmt::format("{} has scale {}, expected a positive finite number", operand, entry.scale));
  if (holds(type, entry.zero_point)) return {};
  return rule_error(
      fmt::format("{} has zero point {}, which is outside the range of {}", operand, entry.zero_point, name(type)));
}

}  // namespace

bool has_scales(const TensorSpec& tensor) {
  return tensor.quantization != nullptr && !tensor.quantization->scales.empty();
}

Result<AffineMap> affine_map_of(const TensorSpec& tensor, std::string_view what) {
  const std::string operand(what);
  if (tensor.type != DataType::kS8 && tensor.type != DataType::kU8 && tensor.type != DataType::kS32)
    return rule_error(fmt::format("{} is {}, expected s8, u8 or s32", operand, name(tensor.type)));
  if (!has_scales(tensor)) return rule_error(fmt::format("{} has no scales", operand));
  const std::span<const float> scales = tensor.quantization->scales;
  const std::span<const int32_t> zero_points = tensor.quantization->zero_points;
  const int axis = tensor.quantization->axis;
  if (axis < -1 || axis >= tensor.shape.rank())
    return rule_error(fmt::format("{} has scales along axis {} of shape {}", operand, axis, tensor.shape.to_string()));
  const auto count = static_cast<size_t>(axis == -1 ? 1 : tensor.shape[axis]);
  if (scales.size() != count || (!zero_points.empty() && zero_points.size() != count))
    return rule_error(fmt::format("{} has {} scales and {} zero points, expected {}", operand, scales.size(),
                                  zero_points.size(), count));
  AffineMap map;
  if (axis >= 0) map.inner = tensor.shape.product(axis + 1, tensor.shape.rank());
  for (size_t i = 0; i < count; ++i) {
    map.entries.push_back({scales[i], zero_points.empty() ? 0 : zero_points[i]});
    NESTRT_RETURN_IF_ERROR(check_entry(tensor.type, map.entries.back(), operand));
  }
  return map;
}

Result<Affine> affine_of(const TensorSpec& tensor, std::string_view what) {
  NESTRT_ASSIGN_OR_RETURN(const AffineMap map, affine_map_of(tensor, what));
  if (tensor.quantization->axis == -1) return map.entries[0];
  return rule_error(fmt::format("{} has scales along axis {}, expected one scale", what, tensor.quantization->axis));
}

Result<BinaryFactors> binary_factors(const OperatorSpec& spec) {
  const ops::Binary& op = *spec.as<ops::Binary>();
  NESTRT_ASSIGN_OR_RETURN(const Affine a, affine_of(spec.inputs[0], "input 0"));
  NESTRT_ASSIGN_OR_RETURN(const Affine b, affine_of(spec.inputs[1], "input 1"));
  NESTRT_ASSIGN_OR_RETURN(const Affine to, affine_of(spec.outputs[0], "the output"));
  BinaryFactors factors;
  factors.kind = op.kind;
  factors.zero_a = a.zero_point;
  factors.zero_b = b.zero_point;
  factors.to = to;
  factors.bounds = activation_bounds(op.activation, to);
  switch (op.kind) {
    case ops::BinaryKind::kMin:
    case ops::BinaryKind::kMax:
      NESTRT_RETURN_IF_ERROR(s8::check_same_quantization(spec));
      return factors;
    case ops::BinaryKind::kMul:
    case ops::BinaryKind::kPrelu:
      factors.ratio_a = a.scale / to.scale;
      factors.ratio_product = multiplier(a.scale, b.scale, to.scale);
      if (std::isfinite(factors.ratio_product) && std::isfinite(factors.ratio_a)) return factors;
      break;
    case ops::BinaryKind::kAdd:
    case ops::BinaryKind::kSub:
      factors.adds_exactly = op.rounding != ops::Rounding::kHalfUpScaled;
      factors.scales = {a.scale, b.scale, to.scale};
      factors.sum = add_factors(a.scale, b.scale, to.scale);
      if (op.kind == ops::BinaryKind::kSub) {
        factors.scales.b = -factors.scales.b;
        factors.sum.b = -factors.sum.b;
      }
      if (factors.sum.valid()) return factors;
      break;
    default:
      return Status(Code::kUnsupported, fmt::format("{} does not support tensors with scales", ops::name(op.kind)));
  }
  return rule_error(
      fmt::format("the output's scale {} is too fine for operands of scales {} and {}", to.scale, a.scale, b.scale));
}

}  // namespace nestrt::kernels::s8c
