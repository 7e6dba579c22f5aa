#include <algorithm>
#include <string>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/graph/evaluation_steps.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// A result larger than this is folded only where it is no larger than the operands: an Expand to a big tensor is
// cheaper to run than to store.
constexpr int64_t kFreeBytes = 1 << 20;
// All results together: these, and as much as the constants of the model. Only a hostile model comes near that.
constexpr int64_t kBudgetBytes = 64 << 20;

int64_t bytes_of(const Graph& graph, const std::vector<ValueId>& ids) {
  int64_t bytes = 0;
  for (ValueId id : ids)
    if (id != kNoValue) bytes += storage_bytes(graph.value(id).type, graph.value(id).shape, Layout::kPlain);
  return bytes;
}

int64_t constant_bytes(const Graph& graph) {
  int64_t bytes = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (graph.value(id).is_constant() && !graph.users(id).empty())
      bytes += static_cast<int64_t>(graph.value(id).constant->size());
  }
  return bytes;
}

// What is left for the results of the pass.
struct Budget {
  explicit Budget(const Graph& graph)
      : bytes(kBudgetBytes + constant_bytes(graph)),
        steps(kFoldingSteps + kFoldingStepsPerByte * constant_bytes(graph)) {}

  // False, and nothing is taken, where the node needs more than that.
  bool take(const Graph& graph, const Node& node) {
    const int64_t result = bytes_of(graph, node.outputs);
    const BoundOperator bound(graph, node);
    const int64_t work = evaluation_steps(graph, node.attributes, node.inputs, bound.spec().outputs);
    if (result > bytes || work > steps) return false;
    bytes -= result;
    steps -= work;
    return true;
  }

  int64_t bytes;
  int64_t steps;
};

bool is_foldable(const Graph& graph, const Node& node) {
  const auto known = [&](ValueId id) { return id == kNoValue || graph.value(id).is_constant(); };
  if (!std::all_of(node.inputs.begin(), node.inputs.end(), known)) return false;
  // A graph output needs a node that writes it.
  if (std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return graph.is_output(id); }))
    return false;
  const int64_t bytes = bytes_of(graph, node.outputs);
  return bytes <= kFreeBytes || bytes <= bytes_of(graph, node.inputs);
}

}  // namespace

Result<int> fold_constants(Graph& graph) {
  int changes = 0;
  Budget budget(graph);
  for (Node* node : snapshot(graph)) {
    if (!is_foldable(graph, *node) || !budget.take(graph, *node)) continue;
    auto results = evaluate(graph, *node);
    if (!results) continue;  // no kernel for these types: left to whoever checks the finished graph
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      const Value& value = graph.value(node->outputs[i]);
      const Shape shape = value.shape;
      const auto quantization = value.quantization, source = source_quantization(graph, *node);
      const ValueId folded = graph.add_constant(value.name, value.type, shape, std::move((*results)[i]));
      graph.value(folded).quantization = quantization;
      graph.value(folded).source_quantization = source;
      graph.replace_uses(node->outputs[i], folded);
    }
    ++changes;
  }
  graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
