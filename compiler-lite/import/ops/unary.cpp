#include <cmath>
#include <limits>

#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

template <plan::UnaryKind kind>
Status import_plain(NodeContext& node) {
  node.ignore("consumed_inputs");
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(node.unary(kind, x));
}

// One number, an attribute that becomes alpha.
Status import_with_alpha(NodeContext& node, plan::UnaryKind kind, float fallback) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(node.unary(kind, x, node.attribute("alpha", fallback)));
}

Status import_leaky_relu(NodeContext& node) { return import_with_alpha(node, plan::UnaryKind::leaky_relu, 0.01f); }
Status import_elu(NodeContext& node) { return import_with_alpha(node, plan::UnaryKind::elu, 1.0f); }
Status import_celu(NodeContext& node) { return import_with_alpha(node, plan::UnaryKind::celu, 1.0f); }
Status import_thresholded_relu(NodeContext& node) {
  return import_with_alpha(node, plan::UnaryKind::thresholded_relu, 1.0f);
}

Status import_selu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float alpha = node.attribute("alpha", 1.67326319217681884765625f);
  return node.set_output(
      node.unary(plan::UnaryKind::selu, x, alpha, node.attribute("gamma", 1.05070102214813232421875f)));
}

Status import_hard_sigmoid(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float alpha = node.attribute("alpha", 0.2f);
  return node.set_output(node.unary(plan::UnaryKind::hard_sigmoid, x, alpha, node.attribute("beta", 0.5f)));
}

Status import_shrink(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float lambda = node.attribute("lambd", 0.5f);
  return node.set_output(node.unary(plan::UnaryKind::shrink, x, lambda, node.attribute("bias", 0.0f)));
}

Status import_is_inf(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const bool negative = node.flag("detect_negative", true);
  const bool positive = node.flag("detect_positive", true);
  return node.set_output(node.unary(plan::UnaryKind::is_inf, x, negative, positive));
}

Status import_gelu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const std::string form = node.attribute("approximate", "none");
  if (form != "none" && form != "tanh") return node.invalid("approximate '" + form + "' is unknown");
  return node.set_output(node.unary(plan::UnaryKind::gelu, x, form == "tanh" ? 1.0f : 0.0f));
}

// Both limits known and floating: one operator.
Result<ValueId> clip_constant(NodeContext& node, ValueId x, float low, float high) {
  return node.unary(plan::UnaryKind::clip, x, low, high);
}

Status import_clip_attributes(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  node.ignore("consumed_inputs");
  const float low = node.attribute("min", std::numeric_limits<float>::lowest());
  const float high = node.attribute("max", std::numeric_limits<float>::max());
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
  if (!node.has_input(1) && !node.has_input(2)) return node.set_output(node.reshape(x, node.shape(x)));
  if (node.type(x) == DataType::kF32 && is_constant_or_absent(node, 1) && is_constant_or_absent(node, 2)) {
    NESTRT_ASSIGN_OR_RETURN(const float low, clip_limit(node, 1, -std::numeric_limits<float>::infinity()));
    NESTRT_ASSIGN_OR_RETURN(const float high, clip_limit(node, 2, std::numeric_limits<float>::infinity()));
    return node.set_output(clip_constant(node, x, low, high));
  }
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(plan::BinaryKind::max, x, node.optional_input(1)));
  }
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(plan::BinaryKind::min, x, node.optional_input(2)));
  }
  return node.set_output(x);
}

// x * sigmoid(alpha * x)
Status import_swish(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float alpha = node.attribute("alpha", 1.0f);
  if (alpha == 1.0f) return node.set_output(node.unary(plan::UnaryKind::silu, x));
  NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.scalar(alpha));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scaled, node.binary(plan::BinaryKind::mul, x, factor));
  NESTRT_ASSIGN_OR_RETURN(const ValueId gate, node.unary(plan::UnaryKind::sigmoid, scaled));
  return node.set_output(node.binary(plan::BinaryKind::mul, x, gate));
}

Status import_cast(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t to, node.required_int("to"));
  node.ignore("saturate");  // of 8-bit floating types only
  const std::optional<DataType> type =
      to >= 0 && to <= INT32_MAX ? converted_type(static_cast<int32_t>(to)) : std::nullopt;
  if (!type) return node.unsupported("cast to " + onnx_type_name(static_cast<int32_t>(to)) + " is not supported");
  return node.set_output(node.cast(x, *type));
}

Status import_cast_like(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId like, node.input(1));
  node.ignore("saturate");
  return node.set_output(node.cast(x, node.type(like)));
}

using plan::UnaryKind;

constexpr ImportRule kRules[] = {
    {"Abs", import_plain<UnaryKind::abs>},
    {"Acos", import_plain<UnaryKind::acos>, 7},
    {"Acosh", import_plain<UnaryKind::acosh>, 9},
    {"Asin", import_plain<UnaryKind::asin>, 7},
    {"Asinh", import_plain<UnaryKind::asinh>, 9},
    {"Atan", import_plain<UnaryKind::atan>, 7},
    {"Atanh", import_plain<UnaryKind::atanh>, 9},
    {"Cast", import_cast},
    {"CastLike", import_cast_like, 15},
    {"Ceil", import_plain<UnaryKind::ceil>},
    {"Celu", import_celu, 12},
    {"Clip", import_clip_attributes, 6, 10},
    {"Clip", import_clip_inputs, 11},
    {"Cos", import_plain<UnaryKind::cos>, 7},
    {"Cosh", import_plain<UnaryKind::cosh>, 9},
    {"Elu", import_elu},
    {"Erf", import_plain<UnaryKind::erf>, 9},
    {"Exp", import_plain<UnaryKind::exp>},
    {"Floor", import_plain<UnaryKind::floor>},
    {"Gelu", import_gelu, 20},
    {"HardSigmoid", import_hard_sigmoid},
    {"HardSwish", import_plain<UnaryKind::hard_swish>, 14},
    {"IsInf", import_is_inf, 10},
    {"IsNaN", import_plain<UnaryKind::is_nan>, 9},
    {"LeakyRelu", import_leaky_relu},
    {"Log", import_plain<UnaryKind::log>},
    {"Mish", import_plain<UnaryKind::mish>, 18},
    {"Neg", import_plain<UnaryKind::neg>},
    {"Not", import_plain<UnaryKind::logical_not>, 1},
    {"Reciprocal", import_plain<UnaryKind::reciprocal>},
    {"Relu", import_plain<UnaryKind::relu>},
    {"Round", import_plain<UnaryKind::round>, 11},
    {"Selu", import_selu},
    {"Shrink", import_shrink, 9},
    {"Sigmoid", import_plain<UnaryKind::sigmoid>},
    {"Sign", import_plain<UnaryKind::sign>, 9},
    {"Sin", import_plain<UnaryKind::sin>, 7},
    {"Sinh", import_plain<UnaryKind::sinh>, 9},
    {"Softplus", import_plain<UnaryKind::softplus>, 1},
    {"Softsign", import_plain<UnaryKind::softsign>, 1},
    {"Sqrt", import_plain<UnaryKind::sqrt>},
    {"Swish", import_swish, 24},
    {"Tan", import_plain<UnaryKind::tan>, 7},
    {"Tanh", import_plain<UnaryKind::tanh>},
    {"ThresholdedRelu", import_thresholded_relu, 10},
};

}  // namespace

std::span<const ImportRule> unary_rules() { return kRules; }

}  // namespace nestrt::compiler
