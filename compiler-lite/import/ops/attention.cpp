// SPDX-License-Identifier: Apache-2.0
// Attention and RotaryEmbedding, composed of simpler operators.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// --- Attention ------------------------------------------------------------------------------------------------------

// Returns a query, key or value as [batch, heads, length, size]. Inputs of rank 3 are [batch, length, heads * size].
Result<ValueId> by_head(NodeContext& node, ValueId x, int64_t heads) {
  const Shape s = node.shape(x);
  if (s.rank() == 4) return x;
  if (s.rank() != 3 || heads < 1 || s[2] % heads != 0)
    return node.invalid(fmt::format("input of shape {} cannot be divided into {} heads", s.to_string(), heads));
  NESTRT_ASSIGN_OR_RETURN(const ValueId split, node.reshape(x, {s[0], s[1], heads, s[2] / heads}));
  return node.transpose(split, {0, 2, 1, 3});
}

Result<ValueId> behind(NodeContext& node, ValueId past, ValueId x) {
  if (past == kNoValue) return x;
  return node.add(ops::Concat{.axis = 2}, {past, x});
}

struct Attention {
  ValueId query = kNoValue, key = kNoValue, value = kNoValue;  // by head
  int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0;
  int64_t past = 0;            // number of cached keys, which precede the node's keys
  ValueId lengths = kNoValue;  // number of valid keys by batch, [batch, 1, 1, 1]
  ValueId bias = kNoValue;     // added to the scores; kNoValue if nothing is added
};

Result<Attention> read_attention(NodeContext& node) {
  Attention a;
  const int64_t heads = node.attribute("q_num_heads", int64_t{0}),
                kv_heads = node.attribute("kv_num_heads", int64_t{0});
  NESTRT_ASSIGN_OR_RETURN(const ValueId query, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId key, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId value, node.input(2));
  NESTRT_ASSIGN_OR_RETURN(a.query, by_head(node, query, heads));
  NESTRT_ASSIGN_OR_RETURN(a.key, by_head(node, key, kv_heads));
  NESTRT_ASSIGN_OR_RETURN(a.value, by_head(node, value, kv_heads));
  if (node.has_input(4))
    a.past = node.shape(node.optional_input(4)).rank() == 4 ? node.shape(node.optional_input(4))[2] : 0;
  NESTRT_ASSIGN_OR_RETURN(a.key, behind(node, node.optional_input(4), a.key));
  NESTRT_ASSIGN_OR_RETURN(a.value, behind(node, node.optional_input(5), a.value));
  NESTRT_RETURN_IF_ERROR(node.set_output(1, a.key));
  NESTRT_RETURN_IF_ERROR(node.set_output(2, a.value));
  const Shape q = node.shape(a.query), k = node.shape(a.key), v = node.shape(a.value);
  const bool fits = k.rank() == 4 && v.rank() == 4 && q[0] == k[0] && q[0] == v[0] && k[1] == v[1] && k[2] == v[2] &&
                    q[3] == k[3] && k[1] > 0 && q[1] % k[1] == 0;
  if (!fits)
    return node.invalid(fmt::format("queries {}, keys {} and values {} have incompatible shapes", q.to_string(),
                                    k.to_string(), v.to_string()));
  a.batch = q[0];
  a.heads = q[1];
  a.kv_heads = k[1];
  a.queries = q[2];
  a.keys = k[2];
  if (node.has_input(6)) {
    NESTRT_ASSIGN_OR_RETURN(a.lengths, node.cast(node.optional_input(6), DataType::kS64));
    NESTRT_ASSIGN_OR_RETURN(a.lengths, node.reshape(a.lengths, {a.batch, 1, 1, 1}));
  }
  return a;
}

// Returns 0 where `allowed` is true and minus infinity elsewhere.
Result<ValueId> bias_of(NodeContext& node, ValueId allowed) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId masked, node.scalar(kMasked));
  return node.add(ops::Select(), {allowed, zero, masked});
}

Status add_bias(NodeContext& node, Attention& a, ValueId bias) {
  if (a.bias != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(bias, node.binary(BinaryKind::kAdd, a.bias, bias));
  }
  a.bias = bias;
  return ok_status();
}

// Adds the model's mask, which contains booleans or numbers. Keys beyond the mask's width are masked.
Status add_mask(NodeContext& node, Attention& a) {
  if (!node.has_input(3)) return ok_status();
  ValueId mask = node.optional_input(3);
  if (node.type(mask) == DataType::kBool) {
    NESTRT_ASSIGN_OR_RETURN(mask, bias_of(node, mask));
  }
  const Shape shape = node.shape(mask);
  if (shape.rank() < 1) return node.invalid("the mask must not be a scalar");
  if (const int64_t missing = a.keys - shape[shape.rank() - 1]; missing > 0) {
    ops::Pad pad;
    pad.begin.assign(static_cast<size_t>(shape.rank()), 0);
    pad.end = pad.begin;
    pad.end.back() = missing;
    pad.value = kMasked;
    NESTRT_ASSIGN_OR_RETURN(mask, node.add(std::move(pad), {mask}));
  }
  return add_bias(node, a, mask);
}

// Returns j - i for key j and query i, [queries, keys]. The number of keys before the first query is not subtracted.
Result<ValueId> distances(NodeContext& node, const Attention& a) {
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, {a.queries, a.keys}));
  std::vector<int64_t> elements;
  elements.reserve(static_cast<size_t>(a.queries * a.keys));
  for (int64_t i = 0; i < a.queries; ++i)
    for (int64_t j = 0; j < a.keys; ++j) elements.push_back(j - i);
  return node.constant(elements, {a.queries, a.keys});
}

// Returns `more` plus the number of keys before the first query: the cached keys, or, per batch element, all valid keys
// except those of the queries.
Result<ValueId> offset_of(NodeContext& node, const Attention& a, int64_t more) {
  if (a.lengths == kNoValue || a.past > 0) return node.scalar_of(DataType::kS64, static_cast<double>(a.past + more));
  NESTRT_ASSIGN_OR_RETURN(const ValueId shift, node.scalar_of(DataType::kS64, static_cast<double>(more - a.queries)));
  return node.binary(BinaryKind::kAdd, a.lengths, shift);
}

// Allows keys from `before` positions before the query to `after` positions after it (0: causal). -1 means unlimited.
Status add_window(NodeContext& node, Attention& a, int64_t before, int64_t after) {
  if (before < 0 && after < 0) return ok_status();
  if (std::max(before, after) > (int64_t{1} << 40)) return node.invalid("the window is too large");
  NESTRT_ASSIGN_OR_RETURN(const ValueId distance, distances(node, a));
  ValueId allowed = kNoValue;
  if (after >= 0) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId most, offset_of(node, a, after));
    NESTRT_ASSIGN_OR_RETURN(allowed, node.binary(BinaryKind::kLessOrEqual, distance, most));
  }
  if (before >= 0) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId least, offset_of(node, a, -before));
    NESTRT_ASSIGN_OR_RETURN(const ValueId near, node.binary(BinaryKind::kGreaterOrEqual, distance, least));
    allowed = allowed == kNoValue ? near : allowed;
    if (allowed != near) {
      NESTRT_ASSIGN_OR_RETURN(allowed, node.binary(BinaryKind::kLogicalAnd, allowed, near));
    }
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, bias_of(node, allowed));
  return add_bias(node, a, bias);
}

Status add_lengths(NodeContext& node, Attention& a) {
  if (a.lengths == kNoValue) return ok_status();
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, {a.keys}));
  std::vector<int64_t> positions(static_cast<size_t>(a.keys));
  for (size_t j = 0; j < positions.size(); ++j) positions[j] = static_cast<int64_t>(j);
  NESTRT_ASSIGN_OR_RETURN(const ValueId position, node.constant(positions, {a.keys}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId counts, node.binary(BinaryKind::kLess, position, a.lengths));
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, bias_of(node, counts));
  return add_bias(node, a, bias);
}

// Multiplies x by a matrix per head. Heads that share keys and values become rows of one matrix: [batch, kv_heads,
// heads / kv_heads * queries, size].
Result<ValueId> product_by_head(NodeContext& node, const Attention& a, ValueId x, ValueId matrix) {
  const int64_t size = node.shape(x)[3];
  NESTRT_ASSIGN_OR_RETURN(const ValueId grouped,
                          node.reshape(x, {a.batch, a.kv_heads, a.heads / a.kv_heads * a.queries, size}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId product, node.add(ops::MatMul(), {grouped, matrix}));
  return node.reshape(product, {a.batch, a.heads, a.queries, node.shape(product)[3]});
}

Result<ValueId> scores_of(NodeContext& node, const Attention& a) {
  const auto size = static_cast<float>(node.shape(a.query)[3]);
  const float scale = node.attribute("scale", 1 / std::sqrt(size));
  NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.scalar(scale));
  NESTRT_ASSIGN_OR_RETURN(const ValueId query, node.binary(BinaryKind::kMul, a.query, factor));
  NESTRT_ASSIGN_OR_RETURN(const ValueId key, node.transpose(a.key, {0, 1, 3, 2}));
  return product_by_head(node, a, query, key);
}

// Returns cap * tanh(x / cap).
Result<ValueId> capped(NodeContext& node, ValueId x) {
  const float cap = node.attribute("softcap", 0.0f);
  if (cap <= 0) return x;
  NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.scalar(cap));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.binary(BinaryKind::kDiv, x, factor));
  NESTRT_ASSIGN_OR_RETURN(y, node.unary(ops::UnaryKind::kTanh, y));
  return node.binary(BinaryKind::kMul, y, factor);
}

// Returns probabilities. A row whose keys are all masked has probabilities of 0.
Result<ValueId> probabilities(NodeContext& node, const Attention& a, ValueId scores) {
  if (a.bias == kNoValue) return node.add(ops::Softmax{.axis = 3}, {scores});
  NESTRT_ASSIGN_OR_RETURN(const ValueId masked, node.scalar(kMasked));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar(0));
  ops::Reduce largest{.kind = ops::ReduceKind::kMax, .axes = {node.shape(a.bias).rank() - 1}};
  NESTRT_ASSIGN_OR_RETURN(const ValueId most, node.add(std::move(largest), {a.bias}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId none, node.binary(BinaryKind::kEqual, most, masked));
  bool any = true;
  if (node.value(none).is_constant()) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, node.ints_of(none, "the mask"));
    any = std::find(rows.begin(), rows.end(), 1) != rows.end();
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId softmax, node.add(ops::Softmax{.axis = 3}, {scores}));
  return any ? node.add(ops::Select(), {none, zero, softmax}) : Result<ValueId>(softmax);
}

Status import_attention(NodeContext& node) {
  node.ignore("softmax_precision");  // everything is f32
  NESTRT_ASSIGN_OR_RETURN(Attention a, read_attention(node));
  NESTRT_RETURN_IF_ERROR(add_mask(node, a));
  NESTRT_RETURN_IF_ERROR(add_window(node, a, -1, node.flag("is_causal", false) ? 0 : -1));
  const int64_t before = node.attribute("left_window_size", int64_t{-1});
  NESTRT_RETURN_IF_ERROR(add_window(node, a, before, node.attribute("right_window_size", int64_t{-1})));
  NESTRT_RETURN_IF_ERROR(add_lengths(node, a));
  ValueId shown[4];
  NESTRT_ASSIGN_OR_RETURN(shown[0], scores_of(node, a));
  NESTRT_ASSIGN_OR_RETURN(shown[1], capped(node, shown[0]));
  shown[2] = shown[1];
  if (a.bias != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(shown[2], node.binary(BinaryKind::kAdd, shown[1], a.bias));
  }
  NESTRT_ASSIGN_OR_RETURN(shown[3], probabilities(node, a, shown[2]));
  const int64_t mode = node.attribute("qk_matmul_output_mode", int64_t{0});
  if (mode < 0 || mode > 3) return node.invalid(fmt::format("qk_matmul_output_mode {} is unknown", mode));
  NESTRT_RETURN_IF_ERROR(node.set_output(3, shown[mode]));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, product_by_head(node, a, shown[3], a.value));
  if (node.shape(node.optional_input(0)).rank() == 4) return node.set_output(y);
  const int64_t size = node.shape(y)[3];
  NESTRT_ASSIGN_OR_RETURN(y, node.transpose(y, {0, 2, 1, 3}));
  return node.set_output(node.reshape(y, {a.batch, a.queries, a.heads * size}));
}

// --- RotaryEmbedding ------------------------------------------------------------------------------------------------

// Returns elements first, first + step, ... along the last axis.
Result<ValueId> part_of_last(NodeContext& node, ValueId x, int64_t first, int64_t step, int64_t count) {
  Shape shape = node.shape(x);
  std::vector<int64_t> start(static_cast<size_t>(shape.rank()), 0), steps(start.size(), 1);
  start.back() = first;
  steps.back() = step;
  shape[shape.rank() - 1] = count;
  return node.slice(x, start, steps, shape);
}

// Returns a cache of cosines or sines, by position, as [batch or 1, length, 1, half].
Result<ValueId> rotation(NodeContext& node, size_t input, const Shape& x, int64_t half) {
  NESTRT_ASSIGN_OR_RETURN(ValueId cache, node.input(input));
  if (node.has_input(3)) {
    NESTRT_ASSIGN_OR_RETURN(cache, node.add(ops::Gather(), {cache, node.optional_input(3)}));
  }
  const Shape shape = node.shape(cache);
  const bool fits = shape.rank() == 3 && shape[1] == x[1] && shape[2] == half && (shape[0] == 1 || shape[0] == x[0]);
  if (!fits)
    return node.invalid(
        fmt::format("a cache of shape {} does not match {} positions of {} pairs", shape.to_string(), x[1], half));
  return node.reshape(cache, {shape[0], shape[1], 1, half});
}

struct Pair {
  ValueId first, second;
};

Result<Pair> rotated(NodeContext& node, const Pair& x, ValueId cosine, ValueId sine) {
  Pair y{};
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.binary(BinaryKind::kMul, x.first, cosine));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.binary(BinaryKind::kMul, x.second, sine));
  NESTRT_ASSIGN_OR_RETURN(const ValueId c, node.binary(BinaryKind::kMul, x.first, sine));
  NESTRT_ASSIGN_OR_RETURN(const ValueId d, node.binary(BinaryKind::kMul, x.second, cosine));
  NESTRT_ASSIGN_OR_RETURN(y.first, node.binary(BinaryKind::kSub, a, b));
  NESTRT_ASSIGN_OR_RETURN(y.second, node.binary(BinaryKind::kAdd, c, d));
  return y;
}

// Joins two halves by concatenation, or element by element if interleaved.
Result<ValueId> joined(NodeContext& node, const Pair& halves, bool interleaved) {
  if (!interleaved) return node.add(ops::Concat{.axis = 3}, {halves.first, halves.second});
  Shape shape = node.shape(halves.first), with_pairs = shape;
  with_pairs.push_back(1);
  NESTRT_ASSIGN_OR_RETURN(const ValueId first, node.reshape(halves.first, with_pairs));
  NESTRT_ASSIGN_OR_RETURN(const ValueId second, node.reshape(halves.second, with_pairs));
  NESTRT_ASSIGN_OR_RETURN(const ValueId pairs, node.add(ops::Concat{.axis = 4}, {first, second}));
  shape[3] *= 2;
  return node.reshape(pairs, shape);
}

// `x`: [batch, length, heads, size].
Result<ValueId> rotate(NodeContext& node, ValueId x) {
  const Shape shape = node.shape(x);
  const int64_t size = shape[3], stated = node.attribute("rotary_embedding_dim", int64_t{0});
  const int64_t rotating = stated == 0 ? size : stated, half = rotating / 2;
  if (rotating < 2 || rotating > size || rotating % 2 != 0)
    return node.invalid(
        fmt::format("rotary_embedding_dim is {}; expected an even number from 2 to the head size {}", rotating, size));
  const bool interleaved = node.flag("interleaved", false);
  NESTRT_ASSIGN_OR_RETURN(const ValueId cosine, rotation(node, 1, shape, half));
  NESTRT_ASSIGN_OR_RETURN(const ValueId sine, rotation(node, 2, shape, half));
  Pair halves{};
  NESTRT_ASSIGN_OR_RETURN(halves.first, part_of_last(node, x, 0, interleaved ? 2 : 1, half));
  NESTRT_ASSIGN_OR_RETURN(halves.second, part_of_last(node, x, interleaved ? 1 : half, interleaved ? 2 : 1, half));
  NESTRT_ASSIGN_OR_RETURN(halves, rotated(node, halves, cosine, sine));
  NESTRT_ASSIGN_OR_RETURN(const ValueId turned, joined(node, halves, interleaved));
  if (rotating == size) return turned;
  NESTRT_ASSIGN_OR_RETURN(const ValueId rest, part_of_last(node, x, rotating, 1, size - rotating));
  return node.add(ops::Concat{.axis = 3}, {turned, rest});
}

Status import_rotary_embedding(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  const int64_t heads = node.attribute("num_heads", int64_t{0});
  if (shape.rank() == 4) {
    NESTRT_ASSIGN_OR_RETURN(x, node.transpose(x, {0, 2, 1, 3}));
    NESTRT_ASSIGN_OR_RETURN(x, rotate(node, x));
    return node.set_output(node.transpose(x, {0, 2, 1, 3}));
  }
  if (shape.rank() != 3 || heads < 1 || shape[2] % heads != 0)
    return node.invalid(fmt::format("input of shape {} cannot be divided into {} heads", shape.to_string(), heads));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}));
  NESTRT_ASSIGN_OR_RETURN(x, rotate(node, x));
  return node.set_output(node.reshape(x, shape));
}

constexpr ImportRule kAttentionRules[] = {
    {"Attention", import_attention, 23},
    {"RotaryEmbedding", import_rotary_embedding, 23},
};

}  // namespace

std::span<const ImportRule> attention_rules() { return kAttentionRules; }

}  // namespace nestrt::compiler
