// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/graph/evaluation_steps.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// A result above this size is folded only if it is not larger than the operands. An Expand to a large tensor is cheaper
// to run than to store.
constexpr int64_t kFreeBytes = 1 << 20;

int64_t bytes_of(const Graph& graph, const std::vector<ValueId>& ids) {
  int64_t bytes = 0;
  for (ValueId id : ids)
    if (id != kNoValue) bytes += storage_bytes(graph.value(id).type, graph.value(id).shape, Layout::kPlain);
  return bytes;
}

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
  for (Node* node : snapshot(graph)) {
    if (!is_foldable(graph, *node)) continue;
    const BoundOperator bound(graph, *node);
    if (!charge_folding(graph, node->attributes, node->inputs, bound.spec().outputs)) continue;
    auto results = evaluate(graph, *node);
    if (!results) continue;  // no kernel for these types; later checks of the graph report this
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      const Value& value = graph.value(node->outputs[i]);
      const Shape shape = value.shape;
      const auto quantization = value.quantization, source = source_quantization(graph, *node);
      const ValueId folded = graph.add_constant(value.name, value.type, shape, std::move((*results)[i]));
      graph.value(folded).quantization = quantization;
      graph.value(folded).source_quantization = source;
      graph.value(folded).source_blocks = source_blocks(graph, *node);
      graph.replace_uses(node->outputs[i], folded);
    }
    ++changes;
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
