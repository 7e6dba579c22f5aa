// SPDX-License-Identifier: Apache-2.0
// Conv(x) * s + t = Conv'(x) with weights w * s and bias b * s + t. Conv(x * s + t) is folded in the same way unless
// padding mixes zeros into x * s + t. Sums and products are computed in double and rounded once.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

// y[c] = scale[c] * x[c] + shift[c].
struct ChannelMap {
  std::vector<double> scale, shift;

  explicit ChannelMap(int64_t channels)
      : scale(static_cast<size_t>(channels), 1.0), shift(static_cast<size_t>(channels), 0.0) {}
  void then(const ChannelMap& next) {
    for (size_t c = 0; c < scale.size(); ++c) {
      scale[c] *= next.scale[c];
      shift[c] = shift[c] * next.scale[c] + next.shift[c];
    }
  }
};

// Returns a constant's elements, one per channel, if it varies only along `axis` of a tensor of rank `rank`; empty for
// other constants.
std::vector<double> by_channel(const Graph& graph, ValueId constant, int rank, int axis, int64_t channels) {
  const std::span<const float> elements = floats(graph, constant);
  const Shape& shape = graph.value(constant).shape;
  if (elements.empty() || shape.rank() > rank) return {};
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1 && i + rank - shape.rank() != axis) return {};
  std::vector<double> result(elements.begin(), elements.end());
  if (result.size() == 1) result.resize(static_cast<size_t>(channels), result[0]);
  if (static_cast<int64_t>(result.size()) != channels) return {};
  return result;
}

template <typename Op>
bool has_activation(const Op& op) {
  return op.activation.kind != ops::ActivationKind::kNone;
}

// scale * x + shift
struct Line {
  double scale = 1, shift = 0;
};

// Returns the linear function that arithmetic with a constant applies to its other operand, or nullopt.
std::optional<Line> line_of(BinaryKind kind, double constant, bool constant_first) {
  switch (kind) {
    case BinaryKind::kMul:
      return Line{constant, 0};
    case BinaryKind::kAdd:
      return Line{1, constant};
    case BinaryKind::kSub:
      return constant_first ? Line{-1, constant} : Line{1, -constant};
    case BinaryKind::kDiv:
      return constant_first || constant == 0 ? std::nullopt : std::optional(Line{1 / constant, 0});
    default:
      return std::nullopt;
  }
}

// Returns a Binary that has one constant per channel of `axis` as a linear map of its other operand.
std::optional<ChannelMap> channel_map(const Graph& graph, const Node& node, int axis) {
  const auto operand = constant_operand(graph, node);
  const auto* binary = node.as<ops::Binary>();
  if (!operand || has_activation(*binary)) return std::nullopt;
  const Shape& shape = graph.value(node.outputs[0]).shape;
  if (!(graph.value(operand->variable).shape == shape) || axis >= shape.rank()) return std::nullopt;
  const std::vector<double> constant = by_channel(graph, operand->constant, shape.rank(), axis, shape[axis]);
  if (constant.empty()) return std::nullopt;

  ChannelMap map(shape[axis]);
  for (size_t c = 0; c < constant.size(); ++c) {
    const std::optional<Line> line = line_of(binary->kind, constant[c], operand->constant_first);
    if (!line) return std::nullopt;
    map.scale[c] = line->scale;
    map.shift[c] = line->shift;
  }
  return map;
}

// A Conv, ConvTranspose or Dense with rewritable weights.
struct Linear {
  Node* node = nullptr;
  int channel_axis = 1;  // of the output
  int64_t group = 1;
  bool activated = false;
  bool padded = false;

  bool transposed() const { return node->as<ops::ConvTranspose>() != nullptr; }
  bool dense() const { return node->as<ops::Dense>() != nullptr; }
};

bool any_nonzero(const std::vector<int32_t>& list) {
  return std::any_of(list.begin(), list.end(), [](int32_t entry) { return entry != 0; });
}

std::optional<Linear> linear(const Graph& graph, Node* node) {
  Linear result;
  result.node = node;
  if (const auto* conv = node->as<ops::Conv>()) {
    result.group = conv->group;
    result.activated = has_activation(*conv);
    result.padded = any_nonzero(conv->pad_begin) || any_nonzero(conv->pad_end);
  } else if (const auto* transposed = node->as<ops::ConvTranspose>()) {
    result.group = transposed->group;
    result.activated = has_activation(*transposed);
  } else if (const auto* dense = node->as<ops::Dense>()) {
    result.activated = has_activation(*dense);
  } else {
    return std::nullopt;
  }
  const bool known_bias = node->input(kBias) == kNoValue || !floats(graph, node->input(kBias)).empty();
  if (floats(graph, node->input(1)).empty() || !known_bias || node->input(3) != kNoValue) return std::nullopt;
  return result;
}

// Returns the output channel that a weight contributes to.
// Weights are [M, C/group, ...] for Conv, [C, M/group, ...] for ConvTranspose and [K, N] for Dense.
size_t output_channel(const Linear& linear, const Shape& weights, int64_t index) {
  const int64_t inner = weights.product(2, weights.rank());
  const int64_t second = index / inner % weights[1], first = index / inner / weights[1];
  if (linear.dense()) return static_cast<size_t>(second);
  if (!linear.transposed()) return static_cast<size_t>(first);
  const int64_t group = first / (weights[0] / linear.group);
  return static_cast<size_t>(group * weights[1] + second);
}

// Returns the input channel that a weight of a Conv multiplies.
size_t input_channel(const Linear& linear, const Shape& weights, int64_t index) {
  const int64_t inner = weights.product(2, weights.rank());
  const int64_t second = index / inner % weights[1], first = index / inner / weights[1];
  const int64_t group = first / (weights[0] / linear.group);
  return static_cast<size_t>(group * weights[1] + second);
}

std::vector<double> bias_of(const Graph& graph, const Linear& linear) {
  const std::span<const float> bias = floats(graph, linear.node->input(kBias));
  if (!bias.empty()) return {bias.begin(), bias.end()};
  const Shape& output = graph.value(linear.node->outputs[0]).shape;
  return std::vector<double>(static_cast<size_t>(output[linear.channel_axis]), 0.0);
}

// Returns false and changes nothing if a number leaves the range of f32.
bool store(Graph& graph, const Linear& linear, const std::vector<double>& weights, const std::vector<double>& bias) {
  const auto rounded = [](const std::vector<double>& numbers) {
    return std::vector<float>(numbers.begin(), numbers.end());
  };
  const std::vector<float> new_weights = rounded(weights), new_bias = rounded(bias);
  const auto finite = [](float number) { return std::isfinite(number); };
  if (!std::all_of(new_weights.begin(), new_weights.end(), finite)) return false;
  if (!std::all_of(new_bias.begin(), new_bias.end(), finite)) return false;

  Node* node = linear.node;
  const Value old = graph.value(node->inputs[kWeights]);
  const ValueId old_bias = node->input(kBias);
  const std::string bias_name = old_bias == kNoValue ? node->name + ".bias" : graph.value(old_bias).name;
  graph.set_input(node, 1, graph.add_constant(old.name, new_weights, old.shape));
  while (node->inputs.size() < 3) graph.add_input(node, kNoValue);
  graph.set_input(node, 2, graph.add_constant(bias_name, new_bias, {static_cast<int64_t>(new_bias.size())}));
  return true;
}

bool fold_after(Graph& graph, const Linear& linear, const ChannelMap& map) {
  const std::span<const float> old = floats(graph, linear.node->inputs[kWeights]);
  const Shape shape = graph.value(linear.node->inputs[kWeights]).shape;
  std::vector<double> weights(old.begin(), old.end());
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] *= map.scale[output_channel(linear, shape, static_cast<int64_t>(i))];
  std::vector<double> bias = bias_of(graph, linear);
  for (size_t c = 0; c < bias.size(); ++c) bias[c] = bias[c] * map.scale[c] + map.shift[c];
  return store(graph, linear, weights, bias);
}

bool fold_before(Graph& graph, const Linear& linear, const ChannelMap& map) {
  const std::span<const float> old = floats(graph, linear.node->inputs[kWeights]);
  const Shape shape = graph.value(linear.node->inputs[kWeights]).shape;
  std::vector<double> weights(old.begin(), old.end());
  std::vector<double> bias = bias_of(graph, linear);
  for (size_t i = 0; i < weights.size(); ++i) {
    const size_t channel = input_channel(linear, shape, static_cast<int64_t>(i));
    bias[output_channel(linear, shape, static_cast<int64_t>(i))] += weights[i] * map.shift[channel];
    weights[i] *= map.scale[channel];
  }
  return store(graph, linear, weights, bias);
}

// Returns the Reshape that splits the rows of a Dense over several axes, or null. The Dense must have no other user.
Node* reshape_of_rows(const Graph& graph, const Linear& linear) {
  const ValueId output = linear.node->outputs[0];
  if (!linear.dense() || !graph.has_single_use(output)) return nullptr;
  Node* const user = graph.users(output)[0];
  if (user->as<ops::Reshape>() == nullptr) return nullptr;
  const Shape& shape = graph.value(user->outputs[0]).shape;
  return shape.rank() > 0 && shape[shape.rank() - 1] == graph.value(output).shape[1] ? user : nullptr;
}

// Folds all foldable Binary nodes that follow the node directly or after such a Reshape.
int fold_followers(Graph& graph, const Linear& linear) {
  if (linear.activated) return 0;
  const int64_t channels = graph.value(linear.node->outputs[0]).shape[linear.channel_axis];
  Node* const reshape = reshape_of_rows(graph, linear);
  Node* const last = reshape != nullptr ? reshape : linear.node;
  const int axis = reshape != nullptr ? graph.value(last->outputs[0]).shape.rank() - 1 : linear.channel_axis;
  ChannelMap total(channels);
  std::vector<Node*> folded;
  for (ValueId at = last->outputs[0]; graph.has_single_use(at); at = folded.back()->outputs[0]) {
    Node* user = graph.users(at)[0];
    const auto map = channel_map(graph, *user, axis);
    if (!map) break;
    total.then(*map);
    folded.push_back(user);
  }
  if (folded.empty() || !fold_after(graph, linear, total)) return 0;
  for (Node* node : folded) absorb(graph, last, node);
  if (reshape != nullptr) {  // the product now contains other elements, so it needs a new name
    Value& product = graph.value(linear.node->outputs[0]);
    product.name += ".folded";
    product.same_elements_as = original_name(graph.value(reshape->outputs[0]));
  }
  return static_cast<int>(folded.size());
}

// Folds the Binary before a Conv if it has no other user. Padding adds zeros after the Binary; a scale keeps them zero,
// a shift does not.
int fold_leader(Graph& graph, const Linear& linear) {
  if (linear.node->as<ops::Conv>() == nullptr) return 0;
  Node* leader = sole_producer<ops::Binary>(graph, *linear.node, 0);
  const auto map = leader ? channel_map(graph, *leader, 1) : std::nullopt;
  if (!map) return 0;
  const bool shifts = std::any_of(map->shift.begin(), map->shift.end(), [](double shift) { return shift != 0; });
  if ((shifts && linear.padded) || !fold_before(graph, linear, *map)) return 0;
  graph.set_input(linear.node, 0, constant_operand(graph, *leader)->variable);
  retire(graph, leader);
  return 1;
}

}  // namespace

Result<int> fuse_batchnorm(Graph& graph) {
  int changes = 0;
  for (Node* node : snapshot(graph)) {
    if (!is_used(graph, *node)) continue;
    const auto found = linear(graph, node);
    if (!found) continue;
    changes += fold_followers(graph, *found);
    while (fold_leader(graph, *found) != 0) ++changes;
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
