// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "compiler-lite/passes/composed_activations.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;
using ops::UnaryKind;

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

ops::Attributes unary(UnaryKind kind, float alpha = 0, float beta = 0) { return ops::Unary{kind, alpha, beta}; }

bool is_plain_binary(const Node& node, BinaryKind kind) {
  const auto* binary = node.as<ops::Binary>();
  return binary != nullptr && binary->kind == kind && binary->activation.kind == ops::ActivationKind::kNone;
}

// A value as scale * x + shift.
struct ScaledInput {
  ValueId x = kNoValue;
  double scale = 1;
  double shift = 0;
};

// Returns the node as an affine map of one operand with uniform constants, or nullopt.
std::optional<ScaledInput> affine(const Graph& graph, const Node& node) {
  const auto operand = constant_operand(graph, node);
  if (!operand || !(graph.value(operand->variable).shape == graph.value(node.outputs[0]).shape)) return std::nullopt;
  const auto constant = uniform_value(graph, operand->constant);
  if (!constant) return std::nullopt;
  const double c = *constant;
  if (is_plain_binary(node, BinaryKind::kAdd)) return ScaledInput{operand->variable, 1, c};
  if (is_plain_binary(node, BinaryKind::kMul)) return ScaledInput{operand->variable, c, 0};
  if (is_plain_binary(node, BinaryKind::kSub))
    return operand->constant_first ? ScaledInput{operand->variable, -1, c} : ScaledInput{operand->variable, 1, -c};
  if (is_plain_binary(node, BinaryKind::kDiv) && !operand->constant_first && c != 0)
    return ScaledInput{operand->variable, 1 / c, 0};
  return std::nullopt;
}

// Returns up to two affine nodes before operand 0 of `clip` as one map, such as x * a + b or (x + c) * a.
ScaledInput affine_before(const Graph& graph, const Node& clip) {
  ScaledInput total{clip.inputs[0], 1, 0};
  const Node* node = &clip;
  for (int depth = 0; depth < 2; ++depth) {
    node = sole_producer<ops::Binary>(graph, *node, depth == 0 ? 0 : node->inputs[0] == total.x ? 0 : 1);
    const auto step = node ? affine(graph, *node) : std::nullopt;
    if (!step) break;
    total = {step->x, total.scale * step->scale, total.shift + total.scale * step->shift};
  }
  return total;
}

// clip(scale * x + shift, 0, high), computed by a Unary clip and the preceding nodes.
struct Ramp {
  ScaledInput inside;
  double high = 0;
};

std::optional<Ramp> ramp(const Graph& graph, const Node* clip) {
  const auto* stated = clip ? clip->as<ops::Unary>() : nullptr;
  if (stated == nullptr || stated->kind != UnaryKind::kClip || stated->alpha != 0 || !(stated->beta > 0))
    return std::nullopt;
  if (!std::isfinite(stated->beta)) return std::nullopt;
  return Ramp{affine_before(graph, *clip), stated->beta};
}

// Recognises the hard sigmoids clip(a * x + b, 0, h) / h and clip(a * x + b, 0, 1).
Result<bool> recognise_hard_sigmoid(Graph& graph, Node* node) {
  double scale = 1;
  const Node* clip = node;
  if (const auto outer = affine(graph, *node); outer && outer->shift == 0) {
    scale = outer->scale;
    clip = sole_producer<ops::Unary>(graph, *node, node->inputs[0] == outer->x ? 0 : 1);
  }
  const auto found = ramp(graph, clip);
  if (!found || !near(found->high * scale, 1) || found->inside.x == clip->inputs[0]) return false;
  const double alpha = found->inside.scale / found->high, beta = found->inside.shift / found->high;
  NESTRT_ASSIGN_OR_RETURN(
      [[maybe_unused]] Node * replaced,
      replace(graph, node, unary(UnaryKind::kHardSigmoid, static_cast<float>(alpha), static_cast<float>(beta)),
              {found->inside.x}));
  return true;
}

// Recognises x * clip(x + 3, 0, 6) / 6 with the division last.
Result<bool> recognise_hard_swish(Graph& graph, Node* node) {
  const auto outer = affine(graph, *node);
  if (!outer || outer->shift != 0) return false;
  const Node* product = sole_producer<ops::Binary>(graph, *node, node->inputs[0] == outer->x ? 0 : 1);
  if (product == nullptr || !is_plain_binary(*product, BinaryKind::kMul)) return false;
  for (size_t side : {0, 1}) {
    const auto found = ramp(graph, sole_producer<ops::Unary>(graph, *product, side));
    if (!found || found->inside.x != product->inputs[1 - side]) continue;
    if (!near(found->high * outer->scale, 1) || !near(found->inside.scale * outer->scale, 1.0 / 6) ||
        !near(found->inside.shift * outer->scale, 0.5))
      continue;
    NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] Node * replaced,
                            replace(graph, node, unary(UnaryKind::kHardSwish), {found->inside.x}));
    return true;
  }
  return false;
}

// Recognises x * sigmoid(x) and x * hard_sigmoid(x).
Result<bool> recognise_gate(Graph& graph, Node* node) {
  if (!is_plain_binary(*node, BinaryKind::kMul)) return false;
  for (size_t side : {0, 1}) {
    const Node* gate = sole_producer<ops::Unary>(graph, *node, side);
    if (gate == nullptr || gate->inputs[0] != node->inputs[1 - side]) continue;
    const auto& stated = *gate->as<ops::Unary>();
    const bool hard = stated.kind == UnaryKind::kHardSigmoid && near(stated.alpha, 1.0 / 6) && near(stated.beta, 0.5);
    if (!hard && stated.kind != UnaryKind::kSigmoid) continue;
    NESTRT_ASSIGN_OR_RETURN(
        [[maybe_unused]] Node * replaced,
        replace(graph, node, unary(hard ? UnaryKind::kHardSwish : UnaryKind::kSilu), {gate->inputs[0]}));
    return true;
  }
  return false;
}

// A product of non-constant values and one constant.
struct Product {
  double scale = 1;
  std::vector<ValueId> factors;
};

// Adds the factors of operand `side` of `user` to `product`. Expands products nested up to `depth` levels.
void add_factors(const Graph& graph, const Node& user, size_t side, int depth, Product& product) {
  const Node* inner = depth > 0 ? sole_producer<ops::Binary>(graph, user, side) : nullptr;
  if (const auto scaled = inner ? affine(graph, *inner) : std::nullopt; scaled && scaled->shift == 0) {
    product.scale *= scaled->scale;
    add_factors(graph, *inner, inner->inputs[0] == scaled->x ? 0 : 1, depth - 1, product);
  } else if (inner != nullptr && is_plain_binary(*inner, BinaryKind::kMul) && !scaled) {
    for (size_t operand : {0, 1}) add_factors(graph, *inner, operand, depth - 1, product);
  } else {
    product.factors.push_back(user.inputs[side]);
  }
}

// Returns the x of 1 + erf(x / sqrt(2)), or kNoValue.
ValueId erf_argument(const Graph& graph, ValueId gate) {
  const Node* sum = graph.has_single_use(gate) ? graph.producer(gate) : nullptr;
  const auto shifted = sum ? affine(graph, *sum) : std::nullopt;
  if (!shifted || shifted->scale != 1 || shifted->shift != 1) return kNoValue;
  const Node* erf = sole_producer<ops::Unary>(graph, *sum, sum->inputs[0] == shifted->x ? 0 : 1);
  if (erf == nullptr || erf->as<ops::Unary>()->kind != UnaryKind::kErf) return kNoValue;
  const Node* inside = sole_producer<ops::Binary>(graph, *erf, 0);
  const auto scaled = inside ? affine(graph, *inside) : std::nullopt;
  return scaled && scaled->shift == 0 && near(scaled->scale, std::numbers::sqrt2 / 2) ? scaled->x : kNoValue;
}

// Recognises x / 2 * (1 + erf(x / sqrt(2))), multiplied in any order, as gelu.
Result<bool> recognise_gelu(Graph& graph, Node* node) {
  Product product;
  if (const auto scaled = affine(graph, *node); scaled && scaled->shift == 0) {
    product.scale = scaled->scale;
    add_factors(graph, *node, node->inputs[0] == scaled->x ? 0 : 1, 1, product);
  } else if (is_plain_binary(*node, BinaryKind::kMul)) {
    for (size_t side : {0, 1}) add_factors(graph, *node, side, 1, product);
  }
  if (product.factors.size() != 2 || !near(product.scale, 0.5)) return false;
  for (size_t side : {0, 1}) {
    const ValueId x = product.factors[1 - side];
    if (erf_argument(graph, product.factors[side]) != x) continue;
    NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] Node * replaced, replace(graph, node, unary(UnaryKind::kGelu), {x}));
    return true;
  }
  return false;
}

// Recognises max(x, 0) as relu, and min or max with any other constant as a clip.
Result<bool> recognise_clip(Graph& graph, Node* node) {
  const bool lower = is_plain_binary(*node, BinaryKind::kMax);
  if (!lower && !is_plain_binary(*node, BinaryKind::kMin)) return false;
  const auto operand = constant_operand(graph, *node);
  if (!operand || !(graph.value(operand->variable).shape == graph.value(node->outputs[0]).shape)) return false;
  const auto bound = uniform_value(graph, operand->constant);
  if (!bound) return false;
  const float infinity = std::numeric_limits<float>::infinity();
  ops::Attributes clip = lower && *bound == 0 ? unary(UnaryKind::kRelu)
                         : lower              ? unary(UnaryKind::kClip, *bound, infinity)
                                              : unary(UnaryKind::kClip, -infinity, *bound);
  NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] Node * replaced, replace(graph, node, std::move(clip), {operand->variable}));
  return true;
}

// Returns the result range of a Unary relu or clip.
std::optional<std::pair<float, float>> interval(const Node* node) {
  const auto* stated = node ? node->as<ops::Unary>() : nullptr;
  if (stated == nullptr) return std::nullopt;
  if (stated->kind == UnaryKind::kRelu) return std::pair(0.0f, std::numeric_limits<float>::infinity());
  if (stated->kind == UnaryKind::kClip) return std::pair(stated->alpha, stated->beta);
  return std::nullopt;
}

// Merges two clips if their intervals intersect.
Result<bool> merge_clips(Graph& graph, Node* node) {
  const Node* inner_node = sole_producer<ops::Unary>(graph, *node, 0);
  const auto outer = interval(node), inner = interval(inner_node);
  if (!outer || !inner) return false;
  const float low = std::max(outer->first, inner->first), high = std::min(outer->second, inner->second);
  if (!(low <= high)) return false;
  const bool relu = low == 0 && high == std::numeric_limits<float>::infinity();
  NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] Node * replaced,
                          replace(graph, node, relu ? unary(UnaryKind::kRelu) : unary(UnaryKind::kClip, low, high),
                                  {inner_node->inputs[0]}));
  return true;
}

using Rule = Result<bool> (*)(Graph& graph, Node* node);
constexpr Rule kRules[] = {&recognise_clip,         &merge_clips,    &recognise_hard_swish,
                           &recognise_hard_sigmoid, &recognise_gate, &recognise_gelu};

}  // namespace

Result<int> recognise_activations(Graph& graph) {
  NESTRT_ASSIGN_OR_RETURN(int changes, recognise_composed_activations(graph));
  for (Node* node : snapshot(graph)) {
    for (Rule rule : kRules) {
      if (!is_used(graph, *node)) break;
      NESTRT_ASSIGN_OR_RETURN(const bool changed, rule(graph, node));
      changes += changed;
    }
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
