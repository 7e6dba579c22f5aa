#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"
#include "flatbuffers/flatbuffers.h"

namespace nestrt::compiler {
namespace {

template <typename T>
void append(std::string& key, T number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string& key, const std::optional<plan::QuantizationT>& quantization) {
  if (!quantization) return append(key, false);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(plan::Quantization::Pack(builder, &*quantization));
  key.append(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

// Values of equal keys hold the same elements.
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

// Nodes of equal keys compute the same.
std::string node_key(const Graph& graph, const Node& node) {
  flatbuffers::FlatBufferBuilder builder;
  const auto table = node.attributes.Pack(builder);
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(table.o));
  std::string key;
  append(key, node.kind());
  for (ValueId id : node.inputs) append(key, id);
  append(key, kNoValue);
  for (ValueId id : node.outputs) append(key, graph.value(id).quantization);
  return key.append(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
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
  graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
