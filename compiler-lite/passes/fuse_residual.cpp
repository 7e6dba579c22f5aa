// SPDX-License-Identifier: Apache-2.0
// Fuses an Add into a Conv: the Add's other operand becomes the Conv's residual. The Add is the Conv's only user, so
// its other operand cannot depend on the Conv. An s8 Conv keeps the exponent of its original result, so the bits do not
// change.
#include <unordered_map>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

bool rounds_alike(const ops::Conv& conv, const Node& add, DataType type) {
  return type != DataType::kS8 || conv.rounding == add.as<ops::Binary>()->rounding;
}

// Returns the Conv that produces operand `index`, or null if there is no such Conv or it cannot have a residual.
Node* open_conv(const Graph& graph, const Node& add, size_t index) {
  Node* node = sole_producer<ops::Conv>(graph, add, index);
  if (node == nullptr || node->input(kResidual) != kNoValue) return nullptr;
  const auto* conv = node->as<ops::Conv>();
  const bool activated = conv->activation.kind != ops::ActivationKind::kNone;
  return activated || conv->wide_output || !rounds_alike(*conv, add, graph.value(node->outputs[0]).type) ? nullptr
                                                                                                         : node;
}

bool is_plain_add(const Graph& graph, const Node& node) {
  const auto* binary = node.as<ops::Binary>();
  if (binary == nullptr || binary->kind != ops::BinaryKind::kAdd || node.inputs[0] == node.inputs[1]) return false;
  const Value& a = graph.value(node.inputs[0]);
  const Value& b = graph.value(node.inputs[1]);
  return a.shape == b.shape && (a.type == DataType::kF32 || a.type == DataType::kS8) && !a.is_constant() &&
         !b.is_constant();
}

void fuse(Graph& graph, Node* conv, Node* add, ValueId residual) {
  conv->as<ops::Conv>()->activation = add->as<ops::Binary>()->activation;
  Value& result = graph.value(conv->outputs[0]);
  if (result.quantization) {
    conv->as<ops::Conv>()->inner_exponent = result.quantization->exponents[0];
    result.quantization = graph.value(add->outputs[0]).quantization;
  }
  while (conv->inputs.size() <= kResidual) graph.add_input(conv, kNoValue);
  graph.set_input(conv, kResidual, residual);
  absorb(graph, conv, add);
}

}  // namespace

Result<int> fuse_residual(Graph& graph) {
  int changes = 0;
  std::unordered_map<const Node*, size_t> position;
  for (Node* node : snapshot(graph)) position.emplace(node, position.size());
  for (Node* add : snapshot(graph)) {
    if (!is_used(graph, *add) || !is_plain_add(graph, *add)) continue;
    Node* first = open_conv(graph, *add, 0);
    Node* second = open_conv(graph, *add, 1);
    if (first == nullptr && second == nullptr) continue;
    // If both operands come from a Conv, fuses into the one that runs last. This keeps the order of the nodes and the
    // lifetimes of the values.
    const bool take_first = second == nullptr || (first != nullptr && position.at(first) > position.at(second));
    fuse(graph, take_first ? first : second, add, add->inputs[take_first ? 1 : 0]);
    ++changes;
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
