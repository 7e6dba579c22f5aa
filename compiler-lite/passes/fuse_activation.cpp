#include <memory>
#include <optional>
#include <vector>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using plan::ActivationKind;

// Where the node keeps its activation; null where it has none to keep.
std::unique_ptr<plan::Activation>* activation_slot(Node* node) {
  if (auto* conv = node->as<plan::ConvT>()) return &conv->activation;
  if (auto* transposed = node->as<plan::ConvTransposeT>()) return &transposed->activation;
  if (auto* dense = node->as<plan::DenseT>()) return &dense->activation;
  auto* binary = node->as<plan::BinaryT>();
  const bool arithmetic =
      binary != nullptr && (binary->kind == plan::BinaryKind::add || binary->kind == plan::BinaryKind::sub ||
                            binary->kind == plan::BinaryKind::mul || binary->kind == plan::BinaryKind::div);
  return arithmetic ? &binary->activation : nullptr;
}

// The node, what only moves its elements, and the first node that does more. Activations do not mind being moved.
std::vector<Node*> path_to_activation(const Graph& graph, Node* node) {
  std::vector<Node*> path = {node};
  do {
    path.push_back(graph.users(path.back()->outputs[0])[0]);
  } while ((path.back()->as<plan::ReshapeT>() || path.back()->as<plan::TransposeT>()) &&
           graph.has_single_use(path.back()->outputs[0]));
  return path;
}

bool fuse(Graph& graph, Node* node) {
  std::unique_ptr<plan::Activation>* slot = activation_slot(node);
  const ValueId output = node->outputs[0];
  if (slot == nullptr || !graph.has_single_use(output) || graph.value(output).type != DataType::kF32) return false;
  if (*slot != nullptr && (*slot)->kind() != ActivationKind::none) return false;
  const std::vector<Node*> path = path_to_activation(graph, node);
  const auto* unary = path.back()->as<plan::UnaryT>();
  const auto activation = unary ? as_activation(*unary) : std::nullopt;
  if (!activation) return false;
  *slot = std::make_unique<plan::Activation>(*activation);
  // Values before the old place are no longer what the model calls by their names.
  for (size_t i = 0; i + 2 < path.size(); ++i) graph.value(path[i]->outputs[0]).name += ".activated";
  absorb(graph, path[path.size() - 2], path.back());
  return true;
}

}  // namespace

Result<int> fuse_activation(Graph& graph) {
  int changes = 0;
  for (Node* node : snapshot(graph)) changes += is_used(graph, *node) && fuse(graph, node);
  graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
