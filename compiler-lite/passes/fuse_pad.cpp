// SPDX-License-Identifier: Apache-2.0
// Folds a Pad into the following Conv or Pool. A Conv, and an average pool that counts its padding, treat padding as
// zeros; a max pool treats it as minus infinity. A Pad is folded only if its values have the same effect.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Returns a Pad that only adds constants around the spatial axes of [N, C, spatial...], or null.
const ops::Pad* spatial_pad(const Graph& graph, const Node* node) {
  const auto* pad = node ? node->as<ops::Pad>() : nullptr;
  if (pad == nullptr || pad->mode != ops::PadMode::kConstant) return nullptr;
  if (graph.value(node->inputs[0]).type != DataType::kF32 || node->inputs.size() != 1) return nullptr;
  const size_t rank = pad->begin.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    const bool spatial = axis >= 2;
    if (pad->begin[axis] < 0 || pad->end[axis] < 0) return nullptr;
    if (!spatial && (pad->begin[axis] != 0 || pad->end[axis] != 0)) return nullptr;
  }
  return pad;
}

bool add_pads(const std::vector<int64_t>& extra, std::vector<int32_t>& pads) {
  if (extra.size() != pads.size() + 2) return false;
  for (size_t i = 0; i < pads.size(); ++i) {
    int32_t sum = 0;
    if (__builtin_add_overflow(extra[i + 2], int64_t{pads[i]}, &sum)) return false;
    pads[i] = sum;
  }
  return true;
}

// Returns true if the node's results are known to be non-negative.
bool is_nonnegative(const Graph& graph, ValueId id) {
  const Node* node = graph.producer(id);
  if (node == nullptr) return false;
  // alpha and beta of a Clip: min(max(x, alpha), beta).
  const auto confines = [](auto kind, float alpha, float beta) {
    using Kind = decltype(kind);
    return kind == Kind::kRelu || kind == Kind::kSigmoid || kind == Kind::kHardSigmoid ||
           (kind == Kind::kClip && alpha >= 0 && beta >= 0);
  };
  if (const auto* unary = node->as<ops::Unary>()) return confines(unary->kind, unary->alpha, unary->beta);
  ops::Activation activation;
  if (const auto* conv = node->as<ops::Conv>()) activation = conv->activation;
  if (const auto* binary = node->as<ops::Binary>()) activation = binary->activation;
  return confines(activation.kind, activation.alpha, activation.beta);
}

// Returns true if every padded window of the pool contains at least one element of the input.
bool windows_touch_input(const ops::Pool& pool) {
  for (size_t i = 0; i < pool.kernel.size(); ++i) {
    // A dilated window may skip the input, so only dense windows are analysed.
    if (!pool.dilation.empty() && pool.dilation[i] != 1) return false;
    if (pool.pad_begin[i] >= pool.kernel[i] || pool.pad_end[i] >= pool.kernel[i]) return false;
  }
  return true;
}

bool no_pads(const ops::Pool& pool) {
  const auto zero = [](int32_t pad) { return pad == 0; };
  return std::all_of(pool.pad_begin.begin(), pool.pad_begin.end(), zero) &&
         std::all_of(pool.pad_end.begin(), pool.pad_end.end(), zero);
}

// Returns the pool with the Pad folded in, or nullopt if the result would differ.
std::optional<ops::Pool> padded_pool(const Graph& graph, ops::Pool pool, const ops::Pad& pad, ValueId source) {
  const bool was_bare = no_pads(pool);
  if (pool.ceil_mode || !add_pads(pad.begin, pool.pad_begin) || !add_pads(pad.end, pool.pad_end)) return std::nullopt;
  if (pool.kind == ops::PoolKind::kAverage) {
    if (pad.value != 0 || !(was_bare || pool.count_include_pad)) return std::nullopt;
    pool.count_include_pad = true;
    return pool;
  }
  if (pool.kind != ops::PoolKind::kMax) return std::nullopt;
  const bool lowest = pad.value == -std::numeric_limits<float>::infinity();
  const bool irrelevant = lowest || (pad.value <= 0 && is_nonnegative(graph, source));
  if (!irrelevant || !windows_touch_input(pool)) return std::nullopt;
  return pool;
}

// Gives the node new attributes and the Pad's operand if the shape rule still infers the same output.
bool rewrite(Graph& graph, Node* node, ops::Attributes attributes, ValueId source) {
  std::vector<ValueId> inputs = node->inputs;
  inputs[0] = source;
  const auto inferred = infer(graph, attributes, inputs);
  if (!inferred || !((*inferred)[0].shape == graph.value(node->outputs[0]).shape)) return false;
  node->attributes = std::move(attributes);
  graph.set_input(node, 0, source);
  return true;
}

bool take_pad(Graph& graph, Node* node) {
  const bool candidate = node->as<ops::Conv>() != nullptr || node->as<ops::Pool>() != nullptr;
  const Node* producer = candidate ? graph.producer(node->inputs[0]) : nullptr;
  const ops::Pad* pad = spatial_pad(graph, producer);
  if (pad == nullptr) return false;
  const ValueId source = producer->inputs[0];
  if (const auto* conv = node->as<ops::Conv>()) {
    ops::Conv padded = *conv;
    if (pad->value != 0 || !add_pads(pad->begin, padded.pad_begin) || !add_pads(pad->end, padded.pad_end)) return false;
    return rewrite(graph, node, std::move(padded), source);
  }
  auto padded = padded_pool(graph, *node->as<ops::Pool>(), *pad, source);
  return padded && rewrite(graph, node, std::move(*padded), source);
}

}  // namespace

Result<int> fuse_pad(Graph& graph) {
  int changes = 0;
  for (Node* node : snapshot(graph))
    while (is_used(graph, *node) && take_pad(graph, node)) ++changes;
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
