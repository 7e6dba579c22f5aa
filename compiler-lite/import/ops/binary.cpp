// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

// Returns the second operand, aligned with the first. Before opset 7 its axes were aligned with those of the first
// operand, starting at `axis`. Since then operands broadcast as in numpy.
Result<ValueId> aligned_operand(NodeContext& node, ValueId a, ValueId b) {
  node.ignore("consumed_inputs");
  if (node.opset() >= 7) return b;
  const bool broadcast = node.flag("broadcast", false);
  const int rank = node.shape(a).rank();
  const int64_t first = node.attribute("axis", int64_t{rank} - node.shape(b).rank());
  if (!broadcast || node.shape(b).rank() == 0) return b;
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(first, rank));
  Shape shape = node.shape(b);
  if (axis + shape.rank() > rank)
    return node.invalid("axis and shape of the second operand exceed the rank of the first operand");
  while (axis + shape.rank() < rank) shape.push_back(1);
  return node.reshape(b, shape);
}

// Rejects a constant integer divisor that contains 0. At run time, division by 0 gives 0.
Status check_divisor(const NodeContext& node, ValueId divisor) {
  if (node.type(divisor) == DataType::kF32 || !node.value(divisor).is_constant()) return ok_status();
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> elements, node.ints_of(divisor, "the divisor"));
  if (std::find(elements.begin(), elements.end(), 0) == elements.end()) return ok_status();
  return node.invalid("integer division by a constant 0");
}

Status import_binary(NodeContext& node) {
  const BinaryKind kind = find_name(kBinaryNames, node.op_type())->kind;
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId b, node.input(1));
  if (node.shape(b).rank() <= node.shape(a).rank()) {
    NESTRT_ASSIGN_OR_RETURN(b, aligned_operand(node, a, b));
  }
  if (kind == BinaryKind::kDiv) NESTRT_RETURN_IF_ERROR(check_divisor(node, b));
  return node.set_output(node.binary(kind, a, b));
}

// Imports Pow. The exponent may have another type; the result has the type of the base. Mixed pairs are computed in
// f32, or in s64 if both are integers.
Status import_pow(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId base, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId exponent, node.input(1));
  if (node.shape(exponent).rank() <= node.shape(base).rank()) {
    NESTRT_ASSIGN_OR_RETURN(exponent, aligned_operand(node, base, exponent));
  }
  const DataType result = node.type(base);
  if (node.type(exponent) != result) {
    const bool floating = result == DataType::kF32 || node.type(exponent) == DataType::kF32;
    const DataType common = floating ? DataType::kF32 : DataType::kS64;
    NESTRT_ASSIGN_OR_RETURN(base, node.cast(base, common));
    NESTRT_ASSIGN_OR_RETURN(exponent, node.cast(exponent, common));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId power, node.binary(BinaryKind::kPow, base, exponent));
  return node.set_output(node.cast(power, result));
}

Status import_prelu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId slope, node.input(1));
  const Shape shape = node.shape(x);
  // Before opset 7, a vector of slopes applied per channel.
  if (node.opset() < 7 && node.shape(slope).rank() == 1 && shape.rank() > 2) {
    Shape by_channel{node.shape(slope)[0]};
    for (int axis = 2; axis < shape.rank(); ++axis) by_channel.push_back(1);
    NESTRT_ASSIGN_OR_RETURN(slope, node.reshape(slope, by_channel));
  }
  return node.set_output(node.binary(BinaryKind::kPrelu, x, slope));
}

Status import_mod(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  NESTRT_RETURN_IF_ERROR(check_divisor(node, b));
  return node.set_output(node.binary(node.flag("fmod", false) ? BinaryKind::kFmod : BinaryKind::kMod, a, b));
}

Status import_bit_shift(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  const std::string direction = node.attribute("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") return node.invalid("direction must be LEFT or RIGHT");
  return node.set_output(node.binary(direction == "LEFT" ? BinaryKind::kShiftLeft : BinaryKind::kShiftRight, a, b));
}

// Returns a op b op c ..., or the only operand unchanged.
Result<ValueId> chain(NodeContext& node, BinaryKind kind) {
  node.ignore("consumed_inputs");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, node.all_inputs());
  ValueId result = inputs.front();
  for (size_t i = 1; i < inputs.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(result, node.binary(kind, result, inputs[i]));
  }
  return result;
}

Status import_variadic(NodeContext& node) {
  return node.set_output(chain(node, find_name(kVariadicNames, node.op_type())->kind));
}

Status import_mean(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId sum, chain(node, BinaryKind::kAdd));
  NESTRT_ASSIGN_OR_RETURN(const ValueId count, node.scalar(static_cast<float>(node.num_inputs())));
  return node.set_output(node.binary(BinaryKind::kDiv, sum, count));
}

Status import_where(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, node.all_inputs());
  return node.finish(ops::Select(), std::move(inputs));
}

constexpr ImportRule kOtherBinaryRules[] = {
    {"BitShift", import_bit_shift, 11},
    {"Max", import_variadic},
    {"Mean", import_mean},
    {"Min", import_variadic},
    {"Mod", import_mod, 10},
    {"PRelu", import_prelu},
    {"Pow", import_pow},
    {"Sum", import_variadic},
    {"Where", import_where, 9},
};
constexpr auto kBinaryRules = rules_of(kBinaryNames, import_binary, kOtherBinaryRules);

}  // namespace

std::span<const ImportRule> binary_rules() { return kBinaryRules; }

}  // namespace nestrt::compiler
