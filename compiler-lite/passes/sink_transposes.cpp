// SPDX-License-Identifier: Apache-2.0
// Models exported from channels-last frameworks contain many pairs of Transposes with element-wise operators, Pads and
// Concats between them. This pass moves Transposes towards the outputs, through operators that work just as well on
// untransposed tensors, until they meet their inverse or an operator that depends on the axis order.
//
// Moving a Transpose through an operator with several users, or past one of several operands, first adds Transposes.
// The pass therefore works on a copy and keeps it only if the cleaned-up copy moves fewer bytes.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using Permutation = std::vector<int32_t>;

const Permutation* permutation_of(const Graph& graph, ValueId id) {
  const Node* node = id == kNoValue ? nullptr : graph.producer(id);
  const auto* transpose = node ? node->as<ops::Transpose>() : nullptr;
  return transpose ? &transpose->permutation : nullptr;
}

Permutation inverse(const Permutation& permutation) {
  Permutation result(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) result[static_cast<size_t>(permutation[i])] = static_cast<int32_t>(i);
  return result;
}

ops::Attributes transpose(const Permutation& permutation) { return ops::Transpose{.permutation = permutation}; }

// Returns a per-axis list for the operand of a Transpose. Output axis i of the Transpose is axis permutation[i] of its
// input, so the list is permuted inversely.
template <typename T>
std::vector<T> before_transpose(const std::vector<T>& list, const Permutation& permutation) {
  std::vector<T> result(list.size());
  for (size_t i = 0; i < list.size(); ++i) result[static_cast<size_t>(permutation[i])] = list[i];
  return result;
}

Shape with_rank(const Shape& shape, int rank) {
  Shape result;
  for (int i = shape.rank(); i < rank; ++i) result.push_back(1);
  for (int64_t dim : shape) result.push_back(dim);
  return result;
}

class Sinker {
 public:
  Sinker(Graph& graph, Node* node, const Permutation& permutation)
      : graph_(graph), node_(node), permutation_(permutation) {}

  // Moves the node before the Transpose. Returns false if that is not possible.
  Result<bool> run() {
    auto attributes = attributes_before();
    if (!attributes) return false;
    for (ValueId id : node_->inputs)
      if (!can_go_before(id)) return false;
    std::vector<ValueId> inputs;
    for (ValueId id : node_->inputs) {
      NESTRT_ASSIGN_OR_RETURN(const ValueId input, before(id));
      inputs.push_back(input);
    }
    const std::string result_name = graph_.value(node_->outputs[0]).name;
    NESTRT_ASSIGN_OR_RETURN(
        Node * sunk, graph_.add_node(node_->name, std::move(*attributes), inputs, {result_name + ".untransposed"}));
    graph_.value(sunk->outputs[0]).same_elements_as = original_name(graph_.value(node_->outputs[0]));
    const auto quantization = graph_.value(node_->outputs[0]).quantization;
    if (quantization && quantization->axis == -1) graph_.value(sunk->outputs[0]).quantization = quantization;
    const Permutation after = permutation_after();
    NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] Node * replaced,
                            replace(graph_, node_, transpose(after), {sunk->outputs[0]}));
    return true;
  }

 private:
  int rank() const { return static_cast<int>(permutation_.size()); }

  // Returns true for operands that do not depend on the axis order or can be reordered at no cost.
  bool can_go_before(ValueId id) const {
    if (id == kNoValue) return false;
    if (const Permutation* other = permutation_of(graph_, id)) return *other == permutation_;
    const Value& value = graph_.value(id);
    const bool broadcasts = node_->as<ops::Binary>() != nullptr;
    if (!broadcasts && value.shape.rank() != rank()) return false;
    if (value.shape.rank() > rank()) return false;
    return value.is_constant() || value.shape.num_elements() == 1 ||
           keeps_order(with_rank(value.shape, rank()), inverse(permutation_));
  }

  Result<ValueId> before(ValueId id) {
    if (permutation_of(graph_, id) != nullptr) return graph_.producer(id)->inputs[0];
    const Shape shape = graph_.value(id).shape;
    if (node_->as<ops::Binary>() != nullptr && shape.num_elements() == 1) return id;
    ValueId source = id;
    if (shape.rank() != rank()) {
      const Shape full = with_rank(shape, rank());
      NESTRT_ASSIGN_OR_RETURN(source, add(ops::Reshape{.shape = {full.begin(), full.end()}}, id));
    }
    return add(transpose(inverse(permutation_)), source);
  }

  Result<ValueId> add(ops::Attributes attributes, ValueId input) {
    const std::string name = graph_.value(input).name + ".transposed";
    NESTRT_ASSIGN_OR_RETURN(Node * node, graph_.add_node(name, std::move(attributes), {input}, {name}));
    graph_.value(node->outputs[0]).same_elements_as = original_name(graph_.value(input));
    return node->outputs[0];
  }

  // Returns the node's attributes for untransposed operands, or nullopt if the node depends on the axis order.
  std::optional<ops::Attributes> attributes_before() const {
    if (node_->as<ops::Unary>() || node_->as<ops::Binary>() || node_->as<ops::Cast>()) return node_->attributes;
    if (const auto* concat = node_->as<ops::Concat>()) {
      ops::Concat moved = *concat;
      moved.axis = permutation_[static_cast<size_t>(from_front(concat->axis, rank()))];
      return moved;
    }
    if (const auto* pad = node_->as<ops::Pad>()) {
      if (node_->inputs.size() > 1) return std::nullopt;  // the value of the padding is not transposed
      ops::Pad moved = *pad;
      moved.begin = before_transpose(pad->begin, permutation_);
      moved.end = before_transpose(pad->end, permutation_);
      return moved;
    }
    if (const auto* slice = node_->as<ops::Slice>()) {
      ops::Slice moved = *slice;
      moved.start = before_transpose(slice->start, permutation_);
      moved.step = before_transpose(slice->step, permutation_);
      moved.shape = before_transpose(slice->shape, permutation_);
      return moved;
    }
    if (const auto* resize = node_->as<ops::Resize>()) {
      const bool is_f32 = graph_.value(node_->inputs[0]).type == DataType::kF32;
      // Integer interpolation supports only rows and columns.
      if (!resize->roi.empty() || (resize->mode != ops::ResizeMode::kNearest && !is_f32)) return std::nullopt;
      ops::Resize moved = *resize;
      moved.sizes = before_transpose(resize->sizes, permutation_);
      if (!resize->scales.empty()) moved.scales = before_transpose(resize->scales, permutation_);
      return moved;
    }
    if (const auto* reduce = node_->as<ops::Reduce>()) {
      if (graph_.value(node_->outputs[0]).shape.rank() == 0) return std::nullopt;
      ops::Reduce moved = *reduce;
      for (int32_t& axis : moved.axes) axis = permutation_[static_cast<size_t>(from_front(axis, rank()))];
      std::sort(moved.axes.begin(), moved.axes.end());
      return moved;
    }
    return std::nullopt;
  }

  // Returns the same permutation, without the axes that a Reduce removes.
  Permutation permutation_after() const {
    const auto* reduce = node_->as<ops::Reduce>();
    if (reduce == nullptr || reduce->keep_dims) return permutation_;
    std::vector<bool> gone(permutation_.size(), reduce->axes.empty());
    for (int32_t axis : reduce->axes)
      gone[static_cast<size_t>(permutation_[static_cast<size_t>(from_front(axis, rank()))])] = true;
    Permutation result;
    for (int32_t axis : permutation_) {
      if (gone[static_cast<size_t>(axis)]) continue;
      const auto gone_before = std::count(gone.begin(), gone.begin() + axis, true);
      result.push_back(axis - static_cast<int32_t>(gone_before));
    }
    return result;
  }

  Graph& graph_;
  Node* node_;
  Permutation permutation_;
};

// Returns the number of bytes that Transposes move.
int64_t transposed_bytes(const Graph& graph) {
  int64_t bytes = 0;
  for (const auto& node : graph.nodes()) {
    const auto* transpose = node->as<ops::Transpose>();
    if (transpose == nullptr) continue;
    const Value& source = graph.value(node->inputs[0]);
    if (!keeps_order(source.shape, transpose->permutation))
      bytes += storage_bytes(source.type, source.shape, Layout::kPlain);
  }
  return bytes;
}

Result<int> sink_all(Graph& graph) {
  int changes = 0;
  // Visits nodes in order, so a Transpose moves through several nodes in one call.
  for (Node* node : snapshot(graph)) {
    if (!is_used(graph, *node)) continue;
    const Permutation* found = nullptr;
    for (size_t i = 0; i < node->inputs.size() && found == nullptr; ++i) found = permutation_of(graph, node->inputs[i]);
    if (found == nullptr) continue;
    NESTRT_ASSIGN_OR_RETURN(const bool sunk, Sinker(graph, node, *found).run());
    changes += sunk;
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace

Result<int> sink_transposes(Graph& graph) {
  const int64_t before = transposed_bytes(graph);
  if (before == 0) return 0;
  Graph trial = graph.clone();
  NESTRT_ASSIGN_OR_RETURN(const int changes, sink_all(trial));
  if (changes == 0) return 0;
  for (const auto clean : {&fold_constants, &remove_identity, &common_subexpressions}) {
    NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] const int cleaned, clean(trial));
  }
  if (transposed_bytes(trial) >= before) return 0;
  graph = std::move(trial);
  return changes;
}

}  // namespace nestrt::compiler
