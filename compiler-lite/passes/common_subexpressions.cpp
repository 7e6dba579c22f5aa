// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

template <typename T>
void append(std::string& key, T number) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename T>
void append(std::string& key, const std::vector<T>& list) {
  append(key, list.size());
  for (T entry : list) append(key, entry);
}

void append(std::string& key, const ops::Activation& activation) {
  append(key, activation.kind);
  append(key, activation.alpha);
  append(key, activation.beta);
}

void append(std::string& key, const std::optional<plan::Quantization>& quantization) {
  append(key, quantization.has_value());
  if (!quantization) return;
  append(key, quantization->exponents);
  append(key, quantization->scales);
  append(key, quantization->zero_points);
  append(key, quantization->axis);
}

// Returns the key of a constant. Values with different keys differ. Equal keys need a comparison of the elements.
std::string constant_key(const Value& value) {
  std::string key;
  append(key, value.type);
  append(key, value.packing);
  append(key, value.quantization);
  append(key, value.shape.rank());
  for (int64_t dim : value.shape) append(key, dim);
  const std::string_view bytes(reinterpret_cast<const char*>(value.constant->data()), value.constant->size());
  append(key, std::hash<std::string_view>()(bytes));
  return key;
}

// Returns the key of a node. Nodes with equal keys compute the same values.
std::string node_key(const Graph& graph, const Node& node) {
  std::string key;
  append(key, node.kind());
  append(key, node.inputs);
  for (ValueId id : node.outputs) append(key, graph.value(id).quantization);
  const auto append_fields = [&key](const auto& op) {
    if constexpr (!std::is_same_v<decltype(op), const std::monostate&>)
      ops::for_each_field(op, [&key](std::string_view, const auto& field) { append(key, field); });
  };
  std::visit(append_fields, node.attributes);
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
