#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/onnx/onnx_types.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

template <ops::UnaryKind kind>
Status import_plain(NodeContext& node) {
  node.ignore("consumed_inputs");
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(node.unary(kind, x));
}

// One number, an attribute that becomes alpha.
Status import_with_alpha(NodeContext& node, ops::UnaryKind kind, float fallback) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(node.unary(kind, x, node.attribute("alpha", fallback)));
}

Status import_leaky_relu(NodeContext& node) { return import_with_alpha(node, ops::UnaryKind::kLeakyRelu, 0.01f); }
Status import_elu(NodeContext& node) { return import_with_alpha(node, ops::UnaryKind::kElu, 1.0f); }
Status import_celu(NodeContext& node) { return import_with_alpha(node, ops::UnaryKind::kCelu, 1.0f); }
Status import_thresholded_relu(NodeContext& node) {
  return import_with_alpha(node, ops::UnaryKind::kThresholdedRelu, 1.0f);
}

Status import_selu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float alpha = node.attribute("alpha", 1.67326319217681884765625f);
  return node.set_output(
      node.unary(ops::UnaryKind::kSelu, x, alpha, node.attribute("gamma", 1.05070102214813232421875f)));
}

Status import_hard_sigmoid(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float alpha = node.attribute("alpha", 0.2f);
  return node.set_output(node.unary(ops::UnaryKind::kHardSigmoid, x, alpha, node.attribute("beta", 0.5f)));
}

Status import_shrink(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float lambda = node.attribute("lambd", 0.5f);
  return node.set_output(node.unary(ops::UnaryKind::kShrink, x, lambda, node.attribute("bias", 0.0f)));
}

Status import_is_inf(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const bool negative = node.flag("detect_negative", true);
  const bool positive = node.flag("detect_positive", true);
  return node.set_output(node.unary(ops::UnaryKind::kIsInf, x, negative, positive));
}

Status import_gelu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const std::string form = node.attribute("approximate", "none");
  if (form != "none" && form != "tanh") return node.invalid(fmt::format("approximate '{}' is unknown", form));
  return node.set_output(node.unary(ops::UnaryKind::kGelu, x, form == "tanh" ? 1.0f : 0.0f));
}

// What ONNX takes for limits that are not stated: an infinity does not stay one.
constexpr float kLowest = std::numeric_limits<float>::lowest(), kHighest = std::numeric_limits<float>::max();

// Both limits known and floating: one operator.
Result<ValueId> clip_constant(NodeContext& node, ValueId x, float low, float high) {
  return node.unary(ops::UnaryKind::kClip, x, low, high);
}

Status import_clip_attributes(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  node.ignore("consumed_inputs");
  const float low = node.attribute("min", kLowest), high = node.attribute("max", kHighest);
  return node.set_output(clip_constant(node, x, low, high));
}

bool is_constant_or_absent(const NodeContext& node, size_t index) {
  return !node.has_input(index) || node.value(node.optional_input(index)).is_constant();
}

Result<float> clip_limit(const NodeContext& node, size_t index, float fallback) {
  if (!node.has_input(index)) return fallback;
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> limit, node.constant_floats(index, "limit"));
  if (limit.size() != 1) return node.invalid("a limit must be one number");
  return limit.front();
}

Status import_clip_inputs(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  const bool floats = node.type(x) == DataType::kF32, has_both = node.has_input(1) && node.has_input(2);
  if (floats && is_constant_or_absent(node, 1) && is_constant_or_absent(node, 2)) {
    NESTRT_ASSIGN_OR_RETURN(const float low, clip_limit(node, 1, kLowest));
    NESTRT_ASSIGN_OR_RETURN(const float high, clip_limit(node, 2, kHighest));
    return node.set_output(clip_constant(node, x, low, high));
  }
  if (!node.has_input(1) && !node.has_input(2)) return node.set_output(node.reshape(x, node.shape(x)));
  if (floats && !has_both) {
    NESTRT_ASSIGN_OR_RETURN(x, clip_constant(node, x, kLowest, kHighest));
  }
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kMax, x, node.optional_input(1)));
  }
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kMin, x, node.optional_input(2)));
  }
  return node.set_output(x);
}

// x * sigmoid(alpha * x)
Result<ValueId> swish(NodeContext& node, ValueId x, float alpha) {
  if (alpha == 1.0f) return node.unary(ops::UnaryKind::kSilu, x);
  NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.scalar(alpha));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scaled, node.binary(ops::BinaryKind::kMul, x, factor));
  NESTRT_ASSIGN_OR_RETURN(const ValueId gate, node.unary(ops::UnaryKind::kSigmoid, scaled));
  return node.binary(ops::BinaryKind::kMul, x, gate);
}

Status import_swish(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(swish(node, x, node.attribute("alpha", 1.0f)));
}

// a * sigmoid(alpha * a) * b
Status import_swi_glu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  if (node.shape(a) != node.shape(b)) return node.invalid("both inputs must have one shape");
  NESTRT_ASSIGN_OR_RETURN(const ValueId gate, swish(node, a, node.attribute("alpha", 1.0f)));
  return node.set_output(node.binary(ops::BinaryKind::kMul, gate, b));
}

Status import_cast(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t to, node.required_int("to"));
  node.ignore("saturate");  // a matter of 8-bit floating types
  const std::optional<DataType> type =
      to >= 0 && to <= INT32_MAX ? converted_type(static_cast<int32_t>(to)) : std::nullopt;
  if (!type)
    return node.unsupported(fmt::format("cast to {} is not supported", onnx_type_name(static_cast<int32_t>(to))));
  return node.set_output(node.cast(x, *type));
}

Status import_cast_like(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId like, node.input(1));
  node.ignore("saturate");
  return node.set_output(node.cast(x, node.type(like)));
}

using ops::UnaryKind;

constexpr ImportRule kRules[] = {
    {"Abs", import_plain<UnaryKind::kAbs>},
    {"Acos", import_plain<UnaryKind::kAcos>, 7},
    {"Acosh", import_plain<UnaryKind::kAcosh>, 9},
    {"Asin", import_plain<UnaryKind::kAsin>, 7},
    {"Asinh", import_plain<UnaryKind::kAsinh>, 9},
    {"Atan", import_plain<UnaryKind::kAtan>, 7},
    {"Atanh", import_plain<UnaryKind::kAtanh>, 9},
    {"BitwiseNot", import_plain<UnaryKind::kBitwiseNot>, 18},
    {"Cast", import_cast},
    {"CastLike", import_cast_like, 15},
    {"Ceil", import_plain<UnaryKind::kCeil>},
    {"Celu", import_celu, 12},
    {"Clip", import_clip_attributes, 6, 10},
    {"Clip", import_clip_inputs, 11},
    {"Cos", import_plain<UnaryKind::kCos>, 7},
    {"Cosh", import_plain<UnaryKind::kCosh>, 9},
    {"Elu", import_elu},
    {"Erf", import_plain<UnaryKind::kErf>, 9},
    {"Exp", import_plain<UnaryKind::kExp>},
    {"Floor", import_plain<UnaryKind::kFloor>},
    {"Gelu", import_gelu, 20},
    {"HardSigmoid", import_hard_sigmoid},
    {"HardSwish", import_plain<UnaryKind::kHardSwish>, 14},
    {"IsInf", import_is_inf, 10},
    {"IsNaN", import_plain<UnaryKind::kIsNan>, 9},
    {"LeakyRelu", import_leaky_relu},
    {"Log", import_plain<UnaryKind::kLog>},
    {"Mish", import_plain<UnaryKind::kMish>, 18},
    {"Neg", import_plain<UnaryKind::kNeg>},
    {"Not", import_plain<UnaryKind::kLogicalNot>, 1},
    {"Reciprocal", import_plain<UnaryKind::kReciprocal>},
    {"Relu", import_plain<UnaryKind::kRelu>},
    {"Round", import_plain<UnaryKind::kRound>, 11},
    {"Selu", import_selu},
    {"Shrink", import_shrink, 9},
    {"Sigmoid", import_plain<UnaryKind::kSigmoid>},
    {"Sign", import_plain<UnaryKind::kSign>, 9},
    {"Sin", import_plain<UnaryKind::kSin>, 7},
    {"Sinh", import_plain<UnaryKind::kSinh>, 9},
    {"Softplus", import_plain<UnaryKind::kSoftplus>, 1},
    {"Softsign", import_plain<UnaryKind::kSoftsign>, 1},
    {"Sqrt", import_plain<UnaryKind::kSqrt>},
    {"SwiGLU", import_swi_glu, 27},
    {"Swish", import_swish, 24},
    {"Tan", import_plain<UnaryKind::kTan>, 7},
    {"Tanh", import_plain<UnaryKind::kTanh>},
    {"ThresholdedRelu", import_thresholded_relu, 10},
};

}  // namespace

std::span<const ImportRule> unary_rules() { return kRules; }

}  // namespace nestrt::compiler
