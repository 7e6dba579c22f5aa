// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/memory/storage.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler-lite/graph/bound_operator.h"
#include "runtime/plan/queries/views.h"

namespace nestrt::compiler {
namespace {

uint64_t bytes_of(const Value& value) {
  return value.is_constant() ? value.constant->size()
                             : static_cast<uint64_t>(storage_bytes(value.type, value.shape, value.layout));
}

// A forest of values that share bytes: a view points to the value that contains it.
class ViewForest {
 public:
  ViewForest(const Graph& graph)
      : graph_(graph), container_(graph.num_values(), kNoValue), offset_(graph.num_values(), 0) {
    for (const GraphInput& input : graph.inputs) external_.insert(input.value);
    for (ValueId id : graph.outputs) external_.insert(id);
  }

  // Returns a value's outermost container and its offset in it. Compresses the path, so that chains of views are
  // walked once.
  std::pair<ValueId, uint64_t> root(ValueId id) {
    ValueId root = id;
    uint64_t offset = 0;
    for (; container(root) != kNoValue; root = container(root)) offset += offset_[static_cast<size_t>(root)];
    uint64_t left = offset;
    for (ValueId at = id; at != root;) {
      const ValueId next = std::exchange(container(at), root);
      left -= std::exchange(offset_[static_cast<size_t>(at)], left);
      at = next;
    }
    return {root, offset};
  }

  // Makes `part` a view of `whole`. Returns false if `part` is already placed or is not in the arena.
  bool place(ValueId part, ValueId whole, uint64_t offset) {
    if (container(part) != kNoValue || !movable(part) || root(whole).first == part) return false;
    if (graph_.value(root(whole).first).is_constant()) return false;
    container(part) = whole;
    offset_[static_cast<size_t>(part)] = offset;
    return true;
  }

 private:
  ValueId& container(ValueId id) { return container_[static_cast<size_t>(id)]; }
  bool movable(ValueId id) const { return external_.count(id) == 0 && !graph_.value(id).is_constant(); }

  const Graph& graph_;
  std::unordered_set<ValueId> external_;
  std::vector<ValueId> container_;
  std::vector<uint64_t> offset_;
};

// Makes the output of a Reshape or Slice a view of the input. If the output of a Reshape cannot move, the input becomes
// a view of the output.
void view_input(const Graph& graph, const Node& node, ViewForest& views) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue) return;
  const ValueId input = node.inputs[0], output = node.outputs[0];
  const auto offset =
      offset_in_input(node.attributes, tensor_spec(graph.value(input)), tensor_spec(graph.value(output)));
  if (!offset || views.place(output, input, *offset)) return;
  if (node.kind() == ops::Kind::kReshape) views.place(input, output, 0);
}

void view_parts(const Graph& graph, const Node& node, const ops::Concat& concat, ViewForest& views) {
  const TensorSpec whole = tensor_spec(graph.value(node.outputs[0]));
  const int axis = axis_of(concat, whole.shape.rank());
  int64_t start = 0;
  for (const ValueId input : node.inputs) {
    const TensorSpec part = tensor_spec(graph.value(input));
    const auto offset = offset_of_part(whole, part, axis, start);
    // A part must be free to move, together with all of its views.
    if (offset && views.root(input).first == input) views.place(input, node.outputs[0], *offset);
    start += part.shape[axis];
  }
}

ViewForest find_views(const Graph& graph) {
  ViewForest views(graph);
  for (const auto& node : graph.nodes()) {
    if (const auto* concat = node->as<ops::Concat>())
      view_parts(graph, *node, *concat, views);
    else
      view_input(graph, *node, views);
  }
  return views;
}

// Requires: the value is not an input.
plan::BufferKind kind_of(const Graph& graph, ValueId id) {
  if (graph.value(id).is_constant()) return plan::BufferKind::kConstant;
  return graph.is_output(id) ? plan::BufferKind::kOutput : plan::BufferKind::kArena;
}

void add_use(std::vector<uint32_t>& uses, uint32_t position) {
  if (uses.empty() || uses.back() != position) uses.push_back(position);
}

}  // namespace

Status legalize_outputs(Graph& graph) {
  std::unordered_set<ValueId> taken;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueId id = graph.outputs[i];
    if (graph.producer(id) != nullptr && taken.insert(id).second) continue;
    const Value value = graph.value(id);
    ops::Reshape reshape{.shape = {value.shape.begin(), value.shape.end()}};
    NESTRT_ASSIGN_OR_RETURN(Node * copy, graph.add_node(value.name + ".copy", std::move(reshape), {id}, {value.name}));
    graph.value(copy->outputs[0]).quantization = value.quantization;
    graph.outputs.set(i, copy->outputs[0]);
    taken.insert(copy->outputs[0]);
  }
  return {};
}

Storage assign_storage(const Graph& graph) {
  ViewForest views = find_views(graph);
  Storage storage;
  storage.places.resize(graph.num_values());
  std::unordered_map<ValueId, uint32_t> buffer_of_root;
  auto touch = [&](ValueId id) -> BufferUse& {
    const auto [root, offset] = views.root(id);
    const auto [found, is_new] = buffer_of_root.try_emplace(root, static_cast<uint32_t>(storage.buffers.size()));
    if (is_new) {
      BufferUse buffer;
      buffer.kind = kind_of(graph, root);
      buffer.size = bytes_of(graph.value(root));
      buffer.value = root;
      storage.buffers.push_back(std::move(buffer));
    }
    storage.places[static_cast<size_t>(id)] = {found->second, offset};
    return storage.buffers[found->second];
  };

  for (const GraphInput& input : graph.inputs) touch(input.value).kind = plan::BufferKind::kInput;
  uint32_t position = 0;
  for (const auto& node : graph.nodes()) {
    for (ValueId id : node->inputs)
      if (id != kNoValue) add_use(touch(id).users, position);
    for (ValueId id : node->outputs) {
      BufferUse& buffer = touch(id);
      add_use(buffer.writers, position);
      add_use(buffer.users, position);
    }
    ++position;
  }
  return storage;
}

}  // namespace nestrt::compiler
