// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/onnx/onnx_types.h"
#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/narrow.h"
#include "compiler-lite/import/ops/quantized/quant_range.h"

namespace nestrt::compiler {
namespace {

using ops::UnaryKind;

Status import_unary(NodeContext& node) {
  node.ignore("consumed_inputs");
  const OnnxName<UnaryKind>& op = *find_name(kUnaryNames, node.op_type());
  const auto read = [&](const OnnxParameter& parameter) {
    return parameter.name.empty() ? 0.0f : node.attribute(parameter.name, parameter.fallback);
  };
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const float alpha = read(op.alpha);
  return node.set_output(node.unary(op.kind, x, alpha, read(op.beta)));
}

Status import_is_inf(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const bool negative = node.flag("detect_negative", true);
  const bool positive = node.flag("detect_positive", true);
  return node.set_output(node.unary(UnaryKind::kIsInf, x, negative, positive));
}

Status import_gelu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const std::string form = node.attribute("approximate", "none");
  if (form != "none" && form != "tanh") return node.invalid(fmt::format("approximate '{}' is unknown", form));
  return node.set_output(node.unary(UnaryKind::kGelu, x, form == "tanh" ? 1.0f : 0.0f));
}

// Defaults of missing limits in ONNX. They clip infinities to finite values.
constexpr float kLowest = std::numeric_limits<float>::lowest(), kHighest = std::numeric_limits<float>::max();

Status import_clip_attributes(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  node.ignore("consumed_inputs");
  const float low = node.attribute("min", kLowest), high = node.attribute("max", kHighest);
  return node.set_output(node.unary(UnaryKind::kClip, x, low, high));
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

// Returns the QuantizeLinear that produces `integers`, directly or through a Reshape that keeps the shape; otherwise
// nullptr.
const Node* quantize_of(const NodeContext& node, ValueId integers) {
  const Node* producer = node.producer(integers);
  if (producer != nullptr && producer->as<ops::Reshape>() != nullptr &&
      node.shape(producer->inputs[0]) == node.shape(integers))
    producer = node.producer(producer->inputs[0]);
  return producer != nullptr && producer->as<ops::Quantize>() != nullptr ? producer : nullptr;
}

// Clips what QuantizeLinear reads instead of its result, as Brevitas writes integers of fewer than 8 bits: then the
// pattern is the one that other quantizers write, and the limits become part of an integer operator. Returns kNoValue
// for other integers.
Result<ValueId> clipped_before_quantize(NodeContext& node, ValueId x) {
  const Node* quantize = quantize_of(node, x);
  if (quantize == nullptr || !is_constant_or_absent(node, 1) || !is_constant_or_absent(node, 2)) return kNoValue;
  const DataType type = node.type(x);
  const float lowest = type == DataType::kS8 ? -128.0f : 0.0f;
  NESTRT_ASSIGN_OR_RETURN(const float low, clip_limit(node, 1, lowest));
  NESTRT_ASSIGN_OR_RETURN(const float high, clip_limit(node, 2, lowest + 255));
  const QuantRange range{type, static_cast<int>(low), static_cast<int>(high)};
  const ValueId source = quantize->inputs[0];
  const auto quantization = node.value(quantize->outputs[0]).quantization;
  if (!quantization || !std::ranges::all_of(quantization->zero_points,
                                            [&](int32_t zero) { return zero >= range.low && zero <= range.high; }))
    return kNoValue;
  NESTRT_ASSIGN_OR_RETURN(const ValueId limited, limited_to_range(node, source, range, *quantization));
  NESTRT_ASSIGN_OR_RETURN(const ValueId integers, node.add(ops::Quantize{.to = type}, {limited}, quantization));
  return node.reinterpret(integers, {});
}

Status import_clip_inputs(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId early, clipped_before_quantize(node, x));
  if (early != kNoValue) return node.set_output(early);
  const bool floats = node.type(x) == DataType::kF32, has_both = node.has_input(1) && node.has_input(2);
  if (floats && is_constant_or_absent(node, 1) && is_constant_or_absent(node, 2)) {
    NESTRT_ASSIGN_OR_RETURN(const float low, clip_limit(node, 1, kLowest));
    NESTRT_ASSIGN_OR_RETURN(const float high, clip_limit(node, 2, kHighest));
    return node.set_output(node.unary(UnaryKind::kClip, x, low, high));
  }
  if (!node.has_input(1) && !node.has_input(2)) return node.set_output(node.reshape(x, node.shape(x)));
  if (floats && !has_both) {
    NESTRT_ASSIGN_OR_RETURN(x, node.unary(UnaryKind::kClip, x, kLowest, kHighest));
  }
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kMax, x, node.optional_input(1)));
  }
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kMin, x, node.optional_input(2)));
  }
  return node.set_output(x);
}

// Returns x * sigmoid(alpha * x).
Result<ValueId> swish(NodeContext& node, ValueId x, float alpha) {
  if (alpha == 1.0f) return node.unary(UnaryKind::kSilu, x);
  NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.scalar(alpha));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scaled, node.binary(ops::BinaryKind::kMul, x, factor));
  NESTRT_ASSIGN_OR_RETURN(const ValueId gate, node.unary(UnaryKind::kSigmoid, scaled));
  return node.binary(ops::BinaryKind::kMul, x, gate);
}

Status import_swish(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(swish(node, x, node.attribute("alpha", 1.0f)));
}

// Imports a * sigmoid(alpha * a) * b.
Status import_swi_glu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  if (node.shape(a) != node.shape(b)) return node.invalid("both inputs must have the same shape");
  NESTRT_ASSIGN_OR_RETURN(const ValueId gate, swish(node, a, node.attribute("alpha", 1.0f)));
  return node.set_output(node.binary(ops::BinaryKind::kMul, gate, b));
}

Status set_narrowed(NodeContext& node, ValueId x, const NarrowType& type, bool saturates) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, narrowed(node, x, type, saturates));
  node.set_narrow_type(y, type.onnx_type);
  return node.set_output(0, y);
}

Status import_cast(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t to, node.required_int("to"));
  const bool saturates = node.flag("saturate", true);
  if (const NarrowType* narrow = find_narrow_type(static_cast<int32_t>(std::clamp<int64_t>(to, 0, INT32_MAX))))
    return set_narrowed(node, x, *narrow, saturates);
  const std::optional<DataType> type =
      to >= 0 && to <= INT32_MAX ? converted_type(static_cast<int32_t>(to)) : std::nullopt;
  if (!type)
    return node.unsupported(fmt::format("cast to {} is not supported", onnx_type_name(static_cast<int32_t>(to))));
  return node.set_output(node.cast(x, *type));
}

Status import_cast_like(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId like, node.input(1));
  const bool saturates = node.flag("saturate", true);
  if (const NarrowType* narrow = find_narrow_type(node.narrow_type(like)))
    return set_narrowed(node, x, *narrow, saturates);
  return node.set_output(node.cast(x, node.type(like)));
}

constexpr ImportRule kOtherUnaryRules[] = {
    {"Cast", import_cast},
    {"CastLike", import_cast_like, 15},
    {"Clip", import_clip_attributes, 6, 10},
    {"Clip", import_clip_inputs, 11},
    {"Gelu", import_gelu, 20},
    {"IsInf", import_is_inf, 10},
    {"SwiGLU", import_swi_glu, 27},
    {"Swish", import_swish, 24},
};
constexpr auto kUnaryRules = rules_of(kUnaryNames, import_unary, kOtherUnaryRules);

}  // namespace

std::span<const ImportRule> unary_rules() { return kUnaryRules; }

}  // namespace nestrt::compiler
