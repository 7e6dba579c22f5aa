// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"
#include "runtime/core/byte_key.h"

namespace nestrt::compiler {
namespace {

using byte_key::append;

// Returns the key of a constant. Constants with different keys differ. If keys are equal, compare the elements.
std::string constant_key(const Value& value) {
  std::string key;
  append(key, value.type);
  append(key, value.packing);
  byte_key::append_if_any(key, value.quantization);
  append(key, value.shape);
  const std::string_view bytes(reinterpret_cast<const char*>(value.constant->data()), value.constant->size());
  append(key, std::hash<std::string_view>()(bytes));
  return key;
}

// Returns the key of a node. Nodes with equal keys compute the same values.
std::string node_key(const Graph& graph, const Node& node) {
  std::string key;
  append(key, node.attributes);
  append(key, node.inputs);
  for (ValueId id : node.outputs) byte_key::append_if_any(key, graph.value(id).quantization);
  return key;
}

int merge_constants(Graph& graph) {
  int changes = 0;
  std::unordered_multimap<std::string, ValueId> seen;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const ValueId id = static_cast<ValueId>(i);
    if (!graph.value(id).is_constant() || graph.users(id).empty() || graph.is_output(id)) continue;
    const std::string key = constant_key(graph.value(id));
    const auto [first, last] = seen.equal_range(key);
    auto same = first;
    while (same != last && *graph.value(same->second).constant != *graph.value(id).constant) ++same;
    if (same == last) {
      seen.emplace(key, id);
    } else {
      graph.replace_uses(id, same->second);
      graph.value(id).constant = nullptr;
      ++changes;
    }
  }
  return changes;
}

}  // namespace

Result<int> common_subexpressions(Graph& graph) {
  int changes = merge_constants(graph);
  std::unordered_map<std::string, const Node*> seen;
  for (Node* node : snapshot(graph)) {
    const auto [found, is_new] = seen.emplace(node_key(graph, *node), node);
    if (is_new || node->outputs.size() != 1) continue;
    changes += forward(graph, node->outputs[0], found->second->outputs[0]);
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
