// SPDX-License-Identifier: Apache-2.0
// SVDF: each filter computes a product of the input, a state keeps the latest results, and the output is a weighted sum
// of them over time. The state, [batch, filters * memory], is an input and an output of the graph.
//
// The state of an int8 SVDF is int16. In the graph, it consists of real numbers that are multiples of its scale.
// Sums over the input are exact, and each new result is rounded to the scale as in LiteRT. Sums over time are f32.
#include <fmt/core.h>

#include <cmath>

#include "compiler-lite/import/tflite/lite_table.h"
#include "compiler-lite/import/tflite/ops/integer_product.h"
#include "compiler-lite/import/tflite/ops/state.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kSvdf = 6;
constexpr size_t kFeatureWeights = 1, kTimeWeights = 2, kSvdfBias = 3, kSvdfState = 4;

struct Svdf {
  int64_t batch = 0, filters = 0, memory = 0, rank = 0;

  int64_t units() const { return filters / rank; }
};

Result<Svdf> read_svdf(LiteNode& node, ValueId x) {
  NESTRT_ASSIGN_OR_RETURN(const Shape feature, node.input_shape(kFeatureWeights));
  NESTRT_ASSIGN_OR_RETURN(const Shape time, node.input_shape(kTimeWeights));
  const int64_t rank = node.options<tflite::SvdfOptions>().rank();
  if (node.shape(x).rank() != 2 || feature.rank() != 2 || time.rank() != 2 || node.shape(x)[1] != feature[1] ||
      feature[0] != time[0] || time[1] < 1 || rank < 1 || feature[0] % rank != 0)
    return node.invalid(fmt::format("weights of shape {} and {} and rank {} do not fit an input of shape {}",
                                    feature.to_string(), time.to_string(), rank, node.shape(x).to_string()));
  return Svdf{node.shape(x)[0], time[0], time[1], rank};
}

// Returns the state before the run, [batch, filters, memory].
Result<ValueId> old_state(LiteNode& node, const Svdf& svdf, LiteVariable& state) {
  const int32_t tensor = node.input_tensor(kSvdfState);
  if (state.value == kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(state.value, add_state_input(node, node.graph().name(tensor), tensor));
  }
  if (node.shape(state.value) != Shape{svdf.batch, svdf.filters * svdf.memory})
    return node.invalid(fmt::format("the state has shape {}, expected [{}, {}]", node.shape(state.value).to_string(),
                                    svdf.batch, svdf.filters * svdf.memory));
  return node.reshape(state.value, {svdf.batch, svdf.filters, svdf.memory});
}

// Rounds real numbers to multiples of `scale` within the range of int16.
Result<ValueId> rounded_to_int16(LiteNode& node, ValueId id, float scale) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId step, node.scalar(scale));
  NESTRT_ASSIGN_OR_RETURN(id, node.binary(ops::BinaryKind::kDiv, id, step));
  NESTRT_ASSIGN_OR_RETURN(id, node.unary(ops::UnaryKind::kRound, id));
  NESTRT_ASSIGN_OR_RETURN(id, node.unary(ops::UnaryKind::kClip, id, INT16_MIN, INT16_MAX));
  return node.binary(ops::BinaryKind::kMul, id, step);
}

// Returns the product of the input and the weights of each filter, [batch, filters], as multiples of the state's scale.
Result<ValueId> newest_integer_results(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::optional<float> scale, node.graph().wide_scale(node.input_tensor(kSvdfState)));
  if (!scale) return node.unsupported("the state of an integer SVDF must be int16 with one scale");
  for (const size_t factor : {size_t{0}, kFeatureWeights}) {
    NESTRT_ASSIGN_OR_RETURN(const bool is_factor, is_integer_factor(node, factor));
    if (!is_factor) return node.unsupported("the input and the weights of an integer SVDF must each have one scale");
  }
  NESTRT_ASSIGN_OR_RETURN(const IntegerFactor x, integer_factor(node, 0, false));
  NESTRT_ASSIGN_OR_RETURN(const IntegerFactor weights, integer_factor(node, kFeatureWeights, true));
  NESTRT_ASSIGN_OR_RETURN(const ValueId newest, integer_product(node, x, weights));
  return rounded_to_int16(node, newest, *scale);
}

Result<ValueId> newest_results(LiteNode& node, ValueId x) {
  if (node.is_quantized_output()) return newest_integer_results(node);
  NESTRT_ASSIGN_OR_RETURN(ValueId weights, node.input(kFeatureWeights));
  NESTRT_ASSIGN_OR_RETURN(weights, node.transpose(weights, {1, 0}));
  return node.add(ops::MatMul(), {x, weights});
}

// Returns the state after the run: the oldest result of each filter is dropped, and the newest one appended.
Result<ValueId> new_state(LiteNode& node, const Svdf& svdf, ValueId old, ValueId x) {
  NESTRT_ASSIGN_OR_RETURN(ValueId newest, newest_results(node, x));
  NESTRT_ASSIGN_OR_RETURN(newest, node.reshape(newest, {svdf.batch, svdf.filters, 1}));
  if (svdf.memory == 1) return newest;
  const Shape kept{svdf.batch, svdf.filters, svdf.memory - 1};
  NESTRT_ASSIGN_OR_RETURN(const ValueId recent, node.slice(old, {0, 0, 1}, {1, 1, 1}, kept));
  return node.add(ops::Concat{.axis = 2}, {recent, newest});
}

// Returns the bias as real numbers. The step of an integer bias is the product of the scales of state and time weights.
Result<ValueId> time_bias(LiteNode& node) {
  if (!node.is_quantized_output()) return node.input(kSvdfBias);
  NESTRT_ASSIGN_OR_RETURN(const std::optional<float> state, node.graph().wide_scale(node.input_tensor(kSvdfState)));
  NESTRT_ASSIGN_OR_RETURN(const std::optional<float> time, node.graph().wide_scale(node.input_tensor(kTimeWeights)));
  if (!state || !time) return node.unsupported("state and time weights of an integer SVDF must be int16");
  NESTRT_ASSIGN_OR_RETURN(const DataType type, node.graph().type(node.input_tensor(kSvdfBias)));
  const float step = *state * *time;
  if (type != DataType::kS32 || !(std::isfinite(step) && step > 0))
    return node.invalid(
        "the bias must be int32, and the product of the scales of state and time weights must be positive and finite");
  return node.dequantized(kSvdfBias, symmetric_steps(step));
}

Status import_svdf(LiteNode& node) {
  if (!node.graph().tensor(node.input_tensor(kSvdfState)).is_variable())
    return node.unsupported("the state must be a variable");
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const Svdf svdf, read_svdf(node, x));
  LiteVariable& state = node.graph().context().variables[node.graph().name(node.input_tensor(kSvdfState))];
  NESTRT_ASSIGN_OR_RETURN(const ValueId old, old_state(node, svdf, state));
  NESTRT_ASSIGN_OR_RETURN(const ValueId next, new_state(node, svdf, old, x));
  NESTRT_ASSIGN_OR_RETURN(state.value, node.reshape(next, {svdf.batch, svdf.filters * svdf.memory}));
  state.is_assigned = true;
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.input(kTimeWeights));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.binary(ops::BinaryKind::kMul, next, weights));
  NESTRT_ASSIGN_OR_RETURN(y, node.reshape(y, {svdf.batch, svdf.units(), svdf.rank * svdf.memory}));
  NESTRT_ASSIGN_OR_RETURN(y,
                          node.add(ops::Reduce{.kind = ops::ReduceKind::kSum, .axes = {2}, .keep_dims = false}, {y}));
  if (node.has_input(kSvdfBias)) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId bias, time_bias(node));
    NESTRT_ASSIGN_OR_RETURN(y, node.binary(ops::BinaryKind::kAdd, y, bias));
  }
  // For integers, LiteRT ignores the activation; the output's zero point limits the result.
  if (node.is_quantized_output()) return node.set(0, y);
  return node.finish(node.activated(y, node.options<tflite::SvdfOptions>().activation()));
}

// The rule requires only three inputs because the bias may be absent, so the state is checked here.
Status import_checked_svdf(LiteNode& node) {
  return node.has_input(kSvdfState) ? import_svdf(node) : node.invalid("the state is missing");
}

constexpr LiteRule kLiteSvdfRules[] = {
    lite_rule<tflite::SvdfOptions>(LiteOp::SVDF, 3, import_checked_svdf, kSvdf),
};

}  // namespace

std::span<const LiteRule> lite_svdf_rules() { return kLiteSvdfRules; }

}  // namespace nestrt::compiler
