// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Returns the node's activation field, or null if the operator does not support one.
ops::Activation* activation_slot(Node* node) {
  if (auto* conv = node->as<ops::Conv>()) return &conv->activation;
  if (auto* transposed = node->as<ops::ConvTranspose>()) return &transposed->activation;
  if (auto* dense = node->as<ops::Dense>()) return &dense->activation;
  auto* binary = node->as<ops::Binary>();
  const bool arithmetic =
      binary != nullptr && (binary->kind == ops::BinaryKind::kAdd || binary->kind == ops::BinaryKind::kSub ||
                            binary->kind == ops::BinaryKind::kMul || binary->kind == ops::BinaryKind::kDiv);
  return arithmetic ? &binary->activation : nullptr;
}

// Returns the node, the nodes that only move its elements, and the first node that does more than that. Activations
// commute with moves.
std::vector<Node*> path_to_activation(const Graph& graph, Node* node) {
  std::vector<Node*> path = {node};
  do {
    path.push_back(graph.users(path.back()->outputs[0])[0]);
  } while ((path.back()->as<ops::Reshape>() || path.back()->as<ops::Transpose>()) &&
           graph.has_single_use(path.back()->outputs[0]));
  return path;
}

bool take_activation(Graph& graph, Node* node) {
  ops::Activation* const slot = activation_slot(node);
  const ValueId output = node->outputs[0];
  if (slot == nullptr || !graph.has_single_use(output) || graph.value(output).type != DataType::kF32) return false;
  if (slot->kind != ops::ActivationKind::kNone) return false;
  const std::vector<Node*> path = path_to_activation(graph, node);
  const auto* unary = path.back()->as<ops::Unary>();
  const auto activation = unary ? as_activation(*unary) : std::nullopt;
  if (!activation) return false;
  *slot = *activation;
  // The values on the path now contain activated elements, so they need new names.
  const std::string activated = original_name(graph.value(path.back()->outputs[0]));
  for (size_t i = 0; i + 2 < path.size(); ++i) {
    Value& value = graph.value(path[i]->outputs[0]);
    value.name += ".activated";
    value.same_elements_as = activated;
  }
  absorb(graph, path[path.size() - 2], path.back());
  return true;
}

}  // namespace

Result<int> fuse_activation(Graph& graph) {
  int changes = 0;
  for (Node* node : snapshot(graph)) changes += is_used(graph, *node) && take_activation(graph, node);
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
