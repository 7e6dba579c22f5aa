// SPDX-License-Identifier: Apache-2.0
// Element-wise operators, which are independent of the order of the axes.
#include <fmt/core.h>

#include "compiler-lite/import/tflite/lite_constants.h"
#include "compiler-lite/import/tflite/lite_table.h"
#include "kernels/common/quantization/s8c_arithmetic.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;
using ops::UnaryKind;

constexpr uint8_t kAdd = 11, kMul = 21, kSub = 28, kDiv = 29, kLeakyRelu = 75, kGelu = 116;

// --- One operand ---

template <UnaryKind kKind>
Status import_unary(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  return node.finish(node.unary(kKind, x.values[0]), x.form);
}

template <int kLow, int kHigh>
Status import_clip(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  return node.finish(node.unary(UnaryKind::kClip, x.values[0], kLow, kHigh), x.form);
}

Status import_elu(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  return node.finish(node.unary(UnaryKind::kElu, x.values[0], 1), x.form);
}

// LiteRT multiplies integers by factors with 8 fractional bits, unless the scales differ too much.
Status import_integer_leaky_relu(LiteNode& node, float slope, const plan::Quantization& to) {
  const Form form = node.common_form({0});
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.stored_input(0, form));
  NESTRT_ASSIGN_OR_RETURN(const DataType type, node.graph().type(node.output_tensor(0)));
  ops::Requantize op{.rounding = ops::Rounding::kHalfUpScaled, .to = type, .activation = {}};
  op.activation = {ops::ActivationKind::kLeakyRelu, slope, 0};
  return node.finish(node.add_quantized(op, x, to), form);
}

Status import_leaky_relu(LiteNode& node) {
  const float slope = node.options<tflite::LeakyReluOptions>().alpha();
  NESTRT_ASSIGN_OR_RETURN(const auto from, node.graph().quantization(node.input_tensor(0)));
  NESTRT_ASSIGN_OR_RETURN(const auto to, node.graph().quantization(node.output_tensor(0)));
  if (from && to && from->axis == -1 && to->axis == -1 &&
      kernels::s8c::leaky_factors(from->scales[0], slope, to->scales[0]).valid())
    return import_integer_leaky_relu(node, slope, *to);
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  return node.finish(node.unary(UnaryKind::kLeakyRelu, x.values[0], slope), x.form);
}

Status import_gelu(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  const bool approximate = node.options<tflite::GeluOptions>().approximate();
  return node.finish(node.unary(UnaryKind::kGelu, x.values[0], approximate ? 1 : 0), x.form);
}

Status import_rsqrt(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId root, node.unary(UnaryKind::kSqrt, x.values[0]));
  return node.finish(node.unary(UnaryKind::kReciprocal, root), x.form);
}

Status import_square(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  return node.finish(node.binary(BinaryKind::kMul, x.values[0], x.values[0]), x.form);
}

// DEQUANTIZE, QUANTIZE: define() adds what the output's type requires.
Status import_same(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  return node.set(0, x.values[0], x.form);
}

Status import_cast(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0}));
  NESTRT_ASSIGN_OR_RETURN(const DataType type, node.graph().type(node.output_tensor(0)));
  return node.finish(node.cast(x.values[0], type), x.form);
}

// --- Two operands and more ---

template <BinaryKind kKind>
Status import_binary(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0, 1}));
  return node.finish(node.binary(kKind, x.values[0], x.values[1]), x.form);
}

template <BinaryKind kKind>
Status import_activated_binary(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0, 1}));
  ops::Binary op;
  op.kind = kKind;
  if (node.is_quantized_output()) op.rounding = ops::Rounding::kHalfUpScaled;
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(op, x.values));
  return node.finish(node.activated(y, node.options<tflite::ActivationOptions>().activation()), x.form);
}

Status import_squared_difference(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0, 1}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId difference, node.binary(BinaryKind::kSub, x.values[0], x.values[1]));
  return node.finish(node.binary(BinaryKind::kMul, difference, difference), x.form);
}

Status import_floor_div(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0, 1}));
  if (node.value(x.values[0]).type != DataType::kF32) return node.unsupported("integers are not supported");
  NESTRT_ASSIGN_OR_RETURN(const ValueId quotient, node.binary(BinaryKind::kDiv, x.values[0], x.values[1]));
  return node.finish(node.unary(UnaryKind::kFloor, quotient), x.form);
}

Status import_not_equal(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0, 1}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId equal, node.binary(BinaryKind::kEqual, x.values[0], x.values[1]));
  return node.finish(node.unary(UnaryKind::kLogicalNot, equal), x.form);
}

Status import_add_n(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands(node.all_inputs()));
  ValueId sum = x.values[0];
  for (size_t i = 1; i < x.values.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(sum, node.binary(BinaryKind::kAdd, sum, x.values[i]));
  }
  return node.set(0, sum, x.form);
}

Status import_select_v2(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands({0, 1, 2}));
  return node.finish(node.add(ops::Select(), x.values), x.form);
}

// A condition of rank 1 selects whole rows.
Status import_select(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape condition, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const Shape x, node.input_shape(1));
  if (condition.rank() == x.rank() || condition.num_elements() == 1) return import_select_v2(node);
  if (condition.rank() != 1 || x.rank() < 1) return node.invalid("the condition must have rank 1");
  NESTRT_ASSIGN_OR_RETURN(const ValueId mask, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(2));
  Shape rows{condition[0]};
  while (rows.rank() < x.rank()) rows.push_back(1);
  NESTRT_ASSIGN_OR_RETURN(const ValueId by_row, node.reshape(mask, rows));
  return node.finish(node.add(ops::Select(), {by_row, a, b}));
}

constexpr LiteRule kLiteElementsRules[] = {
    lite_rule(LiteOp::ABS, 1, import_unary<UnaryKind::kAbs>),
    lite_rule<tflite::ActivationOptions>(LiteOp::ADD, 2, import_activated_binary<BinaryKind::kAdd>, kAdd),
    lite_rule(LiteOp::ADD_N, 1, import_add_n),
    lite_rule(LiteOp::CAST, 1, import_cast),
    lite_rule(LiteOp::CEIL, 1, import_unary<UnaryKind::kCeil>),
    lite_rule(LiteOp::COS, 1, import_unary<UnaryKind::kCos>),
    lite_rule(LiteOp::DEQUANTIZE, 1, import_same),
    lite_rule<tflite::ActivationOptions>(LiteOp::DIV, 2, import_activated_binary<BinaryKind::kDiv>, kDiv),
    lite_rule(LiteOp::ELU, 1, import_elu),
    lite_rule(LiteOp::EQUAL, 2, import_binary<BinaryKind::kEqual>),
    lite_rule(LiteOp::EXP, 1, import_unary<UnaryKind::kExp>),
    lite_rule(LiteOp::FLOOR, 1, import_unary<UnaryKind::kFloor>),
    lite_rule(LiteOp::FLOOR_DIV, 2, import_floor_div),
    lite_rule(LiteOp::FLOOR_MOD, 2, import_binary<BinaryKind::kMod>),
    lite_rule<tflite::GeluOptions>(LiteOp::GELU, 1, import_gelu, kGelu),
    lite_rule(LiteOp::GREATER, 2, import_binary<BinaryKind::kGreater>),
    lite_rule(LiteOp::GREATER_EQUAL, 2, import_binary<BinaryKind::kGreaterOrEqual>),
    lite_rule(LiteOp::HARD_SWISH, 1, import_unary<UnaryKind::kHardSwish>),
    lite_rule<tflite::LeakyReluOptions>(LiteOp::LEAKY_RELU, 1, import_leaky_relu, kLeakyRelu),
    lite_rule(LiteOp::LESS, 2, import_binary<BinaryKind::kLess>),
    lite_rule(LiteOp::LESS_EQUAL, 2, import_binary<BinaryKind::kLessOrEqual>),
    lite_rule(LiteOp::LOG, 1, import_unary<UnaryKind::kLog>),
    lite_rule(LiteOp::LOGICAL_AND, 2, import_binary<BinaryKind::kLogicalAnd>),
    lite_rule(LiteOp::LOGICAL_NOT, 1, import_unary<UnaryKind::kLogicalNot>),
    lite_rule(LiteOp::LOGICAL_OR, 2, import_binary<BinaryKind::kLogicalOr>),
    lite_rule(LiteOp::LOGISTIC, 1, import_unary<UnaryKind::kSigmoid>),
    lite_rule(LiteOp::MAXIMUM, 2, import_binary<BinaryKind::kMax>),
    lite_rule(LiteOp::MINIMUM, 2, import_binary<BinaryKind::kMin>),
    lite_rule<tflite::ActivationOptions>(LiteOp::MUL, 2, import_activated_binary<BinaryKind::kMul>, kMul),
    lite_rule(LiteOp::NEG, 1, import_unary<UnaryKind::kNeg>),
    lite_rule(LiteOp::NOT_EQUAL, 2, import_not_equal),
    lite_rule(LiteOp::POW, 2, import_binary<BinaryKind::kPow>),
    lite_rule(LiteOp::PRELU, 2, import_binary<BinaryKind::kPrelu>),
    lite_rule(LiteOp::QUANTIZE, 1, import_same),
    lite_rule(LiteOp::RELU, 1, import_unary<UnaryKind::kRelu>),
    lite_rule(LiteOp::RELU6, 1, import_clip<0, 6>),
    lite_rule(LiteOp::RELU_0_TO_1, 1, import_clip<0, 1>),
    lite_rule(LiteOp::RELU_N1_TO_1, 1, import_clip<-1, 1>),
    lite_rule(LiteOp::ROUND, 1, import_unary<UnaryKind::kRound>),
    lite_rule(LiteOp::RSQRT, 1, import_rsqrt),
    lite_rule(LiteOp::SELECT, 3, import_select),
    lite_rule(LiteOp::SELECT_V2, 3, import_select_v2),
    lite_rule(LiteOp::SIGN, 1, import_unary<UnaryKind::kSign>),
    lite_rule(LiteOp::SIN, 1, import_unary<UnaryKind::kSin>),
    lite_rule(LiteOp::SQRT, 1, import_unary<UnaryKind::kSqrt>),
    lite_rule(LiteOp::SQUARE, 1, import_square),
    lite_rule(LiteOp::SQUARED_DIFFERENCE, 2, import_squared_difference),
    lite_rule<tflite::ActivationOptions>(LiteOp::SUB, 2, import_activated_binary<BinaryKind::kSub>, kSub),
    lite_rule(LiteOp::TANH, 1, import_unary<UnaryKind::kTanh>),
};

}  // namespace

std::span<const LiteRule> lite_element_rules() { return kLiteElementsRules; }

}  // namespace nestrt::compiler
