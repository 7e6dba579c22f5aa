// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/rewrite.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::compiler {
namespace {

// Functions that exist as a Unary and as a fused activation.
constexpr struct {
  ops::UnaryKind unary;
  ops::ActivationKind activation;
} kFunctions[] = {
    {ops::UnaryKind::kRelu, ops::ActivationKind::kRelu},
    {ops::UnaryKind::kClip, ops::ActivationKind::kClip},
    {ops::UnaryKind::kLeakyRelu, ops::ActivationKind::kLeakyRelu},
    {ops::UnaryKind::kHardSigmoid, ops::ActivationKind::kHardSigmoid},
    {ops::UnaryKind::kHardSwish, ops::ActivationKind::kHardSwish},
    {ops::UnaryKind::kSigmoid, ops::ActivationKind::kSigmoid},
    {ops::UnaryKind::kTanh, ops::ActivationKind::kTanh},
    {ops::UnaryKind::kSilu, ops::ActivationKind::kSilu},
};

}  // namespace

std::vector<Node*> snapshot(const Graph& graph) {
  std::vector<Node*> nodes;
  nodes.reserve(graph.nodes().size());
  for (const std::unique_ptr<Node>& node : graph.nodes()) nodes.push_back(node.get());
  return nodes;
}

bool is_used(const Graph& graph, const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId id) { return !graph.users(id).empty() || graph.is_output(id); });
}

std::span<const float> floats(const Graph& graph, ValueId id) {
  if (id == kNoValue) return {};
  const Value& value = graph.value(id);
  if (!value.is_constant() || value.type != DataType::kF32 || value.packing != Packing::kNone) return {};
  return {value.data<float>(), static_cast<size_t>(value.shape.num_elements())};
}

std::optional<float> uniform_value(const Graph& graph, ValueId id) {
  const std::span<const float> elements = floats(graph, id);
  if (elements.empty()) return std::nullopt;
  for (float element : elements)
    if (!(element == elements[0])) return std::nullopt;
  return elements[0];
}

std::optional<ConstantOperand> constant_operand(const Graph& graph, const Node& node) {
  if (node.as<ops::Binary>() == nullptr) return std::nullopt;
  const bool first = !floats(graph, node.input(0)).empty();
  const bool second = !floats(graph, node.input(1)).empty();
  if (first == second) return std::nullopt;
  return ConstantOperand{node.inputs[first ? 1 : 0], node.inputs[first ? 0 : 1], first};
}

void retire(Graph& graph, Node* node) {
  for (size_t i = 0; i < node->inputs.size(); ++i) graph.set_input(node, i, kNoValue);
}

bool forward(Graph& graph, ValueId from, ValueId to) {
  if (graph.is_output(from)) {
    if (graph.producer(to) == nullptr || graph.is_output(to)) return false;
    graph.value(to).name = graph.value(from).name;
  }
  graph.replace_uses(from, to);
  return true;
}

void absorb(Graph& graph, Node* first, Node* second) {
  const ValueId result = first->outputs[0], old_result = second->outputs[0];
  graph.value(result).name = graph.value(old_result).name;
  retire(graph, second);
  graph.replace_uses(old_result, result);
}

Result<Node*> replace(Graph& graph, Node* old, ops::Attributes attributes, const std::vector<ValueId>& inputs) {
  const ValueId old_result = old->outputs[0];
  NESTRT_ASSIGN_OR_RETURN(Node * node,
                          graph.add_node(old->name, std::move(attributes), inputs, {graph.value(old_result).name}));
  const Value& before = graph.value(old_result);
  graph.value(node->outputs[0]).quantization = before.quantization;
  const Value& after = graph.value(node->outputs[0]);
  if (before.type != after.type || !(before.shape == after.shape)) {
    return Status(Code::kInternal, fmt::format("node '{}' has shape {}, but its replacement has shape {}", old->name,
                                               before.shape.to_string(), after.shape.to_string()));
  }
  retire(graph, old);
  graph.replace_uses(old_result, node->outputs[0]);
  return node;
}

std::optional<ops::Activation> as_activation(const ops::Unary& unary) {
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                         [&](const auto& row) { return row.unary == unary.kind; });
  if (found == std::end(kFunctions)) return std::nullopt;
  return ops::Activation{found->activation, unary.alpha, unary.beta};
}

ops::Unary as_unary(const ops::Activation& activation) {
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                         [&](const auto& row) { return row.activation == activation.kind; });
  return {found->unary, activation.alpha, activation.beta};
}

bool is_s8_average(const ops::Pool& pool) {
  int64_t window = 1;
  for (int32_t extent : pool.kernel)
    if (__builtin_mul_overflow(window, extent, &window) || window > kernels::s8::kMaxWindow) return false;
  return pool.kind == ops::PoolKind::kAverage;
}

bool keeps_order(const Shape& shape, const std::vector<int32_t>& permutation) {
  int32_t last = -1;
  for (int32_t axis : permutation) {
    if (shape[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

}  // namespace nestrt::compiler
