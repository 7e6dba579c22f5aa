// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/narrow.h"

#include <cmath>
#include <limits>
#include <vector>

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;
using ops::UnaryKind;

// Returns `function(x, number)`.
Result<ValueId> with_number(NodeContext& node, BinaryKind function, ValueId x, double number) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId constant, node.scalar_of(node.type(x), number));
  return node.binary(function, x, constant);
}

Result<ValueId> select_number(NodeContext& node, ValueId condition, float number, ValueId otherwise) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId constant, node.scalar(number));
  return node.add(ops::Select(), {condition, constant, otherwise});
}

Result<ValueId> low_bits(NodeContext& node, ValueId x, const NarrowType& type) {
  const int sign = type.type == DataType::kS8 ? 1 << (type.bits - 1) : 0;
  if (node.type(x) == DataType::kF32) {
    NESTRT_ASSIGN_OR_RETURN(x, node.unary(UnaryKind::kRound, x));
  }
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kS32));
  NESTRT_ASSIGN_OR_RETURN(x, with_number(node, BinaryKind::kBitwiseAnd, x, (1 << type.bits) - 1));
  NESTRT_ASSIGN_OR_RETURN(x, with_number(node, BinaryKind::kBitwiseXor, x, sign));
  NESTRT_ASSIGN_OR_RETURN(x, with_number(node, BinaryKind::kSub, x, sign));
  return node.cast(x, type.type);
}

// Returns the distance between neighbouring numbers of the type near each element: the largest power of two that does
// not exceed the element's magnitude, times the value of the last mantissa bit.
Result<ValueId> spacing(NodeContext& node, ValueId x, const NarrowType& type) {
  const Shape shape = node.shape(x);
  if (shape.rank() >= Shape::kMaxRank) return node.unsupported("too many dimensions");
  std::vector<float> powers, spacings;
  for (int exponent = type.min_exponent; std::ldexp(1.0F, exponent) <= type.max; ++exponent) {
    powers.push_back(std::ldexp(1.0F, exponent));
    spacings.push_back(std::ldexp(1.0F, exponent - type.mantissa_bits));
  }
  const Shape row{static_cast<int64_t>(powers.size())};
  Shape column = shape;
  column.push_back(1);
  NESTRT_ASSIGN_OR_RETURN(ValueId size, node.unary(UnaryKind::kAbs, x));
  NESTRT_ASSIGN_OR_RETURN(size, node.reshape(size, column));
  NESTRT_ASSIGN_OR_RETURN(const ValueId power, node.constant(powers, row));
  NESTRT_ASSIGN_OR_RETURN(const ValueId spacing, node.constant(spacings, row));
  NESTRT_ASSIGN_OR_RETURN(const ValueId reaches, node.binary(BinaryKind::kGreaterOrEqual, size, power));
  NESTRT_ASSIGN_OR_RETURN(const ValueId smallest, node.scalar(spacings.front()));
  NESTRT_ASSIGN_OR_RETURN(const ValueId candidates, node.add(ops::Select(), {reaches, spacing, smallest}));
  ops::Reduce largest{.kind = ops::ReduceKind::kMax, .axes = {shape.rank()}, .keep_dims = false};
  return node.add(std::move(largest), {candidates});
}

// Replaces elements beyond the largest finite number of the given sign.
Result<ValueId> limited(NodeContext& node, ValueId x, const NarrowType& type, bool saturates, float sign) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float beyond = saturates ? type.max : type.has_infinity ? infinity : std::numeric_limits<float>::quiet_NaN();
  const BinaryKind comparison = sign > 0 ? BinaryKind::kGreater : BinaryKind::kLess;
  NESTRT_ASSIGN_OR_RETURN(const ValueId is_beyond, with_number(node, comparison, x, sign * type.max));
  return select_number(node, is_beyond, sign * beyond, x);
}

// Rounds x to a number of the type. The spacing is a power of two, so only the rounding to an integer is inexact.
Result<ValueId> rounded(NodeContext& node, ValueId x, const NarrowType& type, bool saturates) {
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kF32));
  NESTRT_ASSIGN_OR_RETURN(const ValueId distance, spacing(node, x, type));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.binary(BinaryKind::kDiv, x, distance));
  NESTRT_ASSIGN_OR_RETURN(y, node.unary(UnaryKind::kRound, y));
  NESTRT_ASSIGN_OR_RETURN(y, node.binary(BinaryKind::kMul, y, distance));
  NESTRT_ASSIGN_OR_RETURN(y, limited(node, y, type, saturates, 1));
  NESTRT_ASSIGN_OR_RETURN(y, limited(node, y, type, saturates, -1));
  if (type.has_nan) return y;
  NESTRT_ASSIGN_OR_RETURN(const ValueId is_nan, node.unary(UnaryKind::kIsNan, x));
  return select_number(node, is_nan, 0, y);
}

}  // namespace

Result<ValueId> narrowed(NodeContext& node, ValueId x, const NarrowType& type, bool saturates) {
  return type.is_float() ? rounded(node, x, type, saturates) : low_bits(node, x, type);
}

Result<ValueId> quantized_to(NodeContext& node, ValueId x, ValueId scale, ValueId zero_point, const NarrowType* type,
                             DataType result, bool saturates) {
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(BinaryKind::kDiv, x, scale));
  if (type != nullptr && type->is_float()) return narrowed(node, x, *type, saturates);
  NESTRT_ASSIGN_OR_RETURN(x, node.unary(UnaryKind::kRound, x));
  if (zero_point != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(BinaryKind::kAdd, x, zero_point));
  }
  const int bits = type != nullptr ? type->bits : 8;
  const int low = result == DataType::kS8 ? -(1 << (bits - 1)) : 0;
  NESTRT_ASSIGN_OR_RETURN(
      x, node.unary(UnaryKind::kClip, x, static_cast<float>(low), static_cast<float>(low + (1 << bits) - 1)));
  return node.cast(x, result);
}

}  // namespace nestrt::compiler
