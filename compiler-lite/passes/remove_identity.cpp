// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

bool same_shape(const Graph& graph, const Node& node) {
  return graph.value(node.inputs[0]).shape == graph.value(node.outputs[0]).shape;
}

template <typename T>
bool all_equal(const std::vector<T>& list, T value) {
  return std::all_of(list.begin(), list.end(), [&](T entry) { return entry == value; });
}

bool is_identity_permutation(const std::vector<int32_t>& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i)
    if (permutation[i] != static_cast<int32_t>(i)) return false;
  return true;
}

// Returns true for x + 0, x - 0, x * 1, x / 1, x ^ 1, and the mirrored forms of commutative operators, unless
// broadcasting changes the shape. -0 + 0 gives +0; the difference affects only a later division by zero.
bool is_neutral_binary(const Graph& graph, const Node& node, const ops::Binary& binary, ValueId* kept) {
  const auto operand = constant_operand(graph, node);
  if (!operand || !(graph.value(operand->variable).shape == graph.value(node.outputs[0]).shape)) return false;
  if (binary.activation.kind != ops::ActivationKind::kNone) return false;
  const auto constant = uniform_value(graph, operand->constant);
  const bool commutes = binary.kind == BinaryKind::kAdd || binary.kind == BinaryKind::kMul;
  if (!constant || (operand->constant_first && !commutes)) return false;
  const bool additive = binary.kind == BinaryKind::kAdd || binary.kind == BinaryKind::kSub;
  const bool multiplicative =
      binary.kind == BinaryKind::kMul || binary.kind == BinaryKind::kDiv || binary.kind == BinaryKind::kPow;
  *kept = operand->variable;
  return (additive && *constant == 0) || (multiplicative && *constant == 1);
}

bool is_identity_pool(const ops::Pool& pool) {
  return pool.kind != ops::PoolKind::kLp && all_equal(pool.kernel, 1) && all_equal(pool.stride, 1) &&
         all_equal(pool.pad_begin, 0) && all_equal(pool.pad_end, 0);
}

// Returns the operand that equals the node's result, or kNoValue.
ValueId equal_operand(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.outputs.size() != 1) return kNoValue;
  ValueId kept = node.inputs[0];
  bool identity = false;
  if (node.as<ops::Reshape>() || node.as<ops::Tile>()) {
    identity = same_shape(graph, node);
  } else if (const auto* transpose = node.as<ops::Transpose>()) {
    identity = is_identity_permutation(transpose->permutation);
  } else if (const auto* slice = node.as<ops::Slice>()) {
    identity = same_shape(graph, node) && all_equal<int64_t>(slice->step, 1);
  } else if (node.as<ops::Cast>()) {
    identity = graph.value(kept).type == graph.value(node.outputs[0]).type;
  } else if (node.as<ops::Concat>()) {
    identity = node.inputs.size() == 1;
  } else if (const auto* pad = node.as<ops::Pad>()) {
    identity = all_equal<int64_t>(pad->begin, 0) && all_equal<int64_t>(pad->end, 0);
  } else if (const auto* pool = node.as<ops::Pool>()) {
    identity = is_identity_pool(*pool);
  } else if (const auto* binary = node.as<ops::Binary>()) {
    identity = is_neutral_binary(graph, node, *binary, &kept);
  }
  // A Reshape may change the quantization, so equal shapes are not sufficient.
  const bool same_reading = graph.value(kept).quantization == graph.value(node.outputs[0]).quantization;
  return identity && same_reading ? kept : kNoValue;
}

// Merges two consecutive Reshapes; only the second one matters.
bool merge_reshapes(Graph& graph, Node* node) {
  const Node* before = node->as<ops::Reshape>() ? graph.producer(node->inputs[0]) : nullptr;
  if (before == nullptr || before->as<ops::Reshape>() == nullptr) return false;
  graph.set_input(node, 0, before->inputs[0]);
  return true;
}

bool merge_transposes(Graph& graph, Node* node) {
  auto* second = node->as<ops::Transpose>();
  const Node* before = second ? graph.producer(node->inputs[0]) : nullptr;
  const auto* first = before ? before->as<ops::Transpose>() : nullptr;
  if (first == nullptr) return false;
  for (int32_t& axis : second->permutation) axis = first->permutation[static_cast<size_t>(axis)];
  graph.set_input(node, 0, before->inputs[0]);
  return true;
}

// Replaces a Transpose that only moves axes of size 1, and therefore no elements, with a Reshape.
Result<bool> transpose_to_reshape(Graph& graph, Node* node) {
  const auto* transpose = node->as<ops::Transpose>();
  if (transpose == nullptr || is_identity_permutation(transpose->permutation)) return false;
  if (!keeps_order(graph.value(node->inputs[0]).shape, transpose->permutation)) return false;
  const Shape& result = graph.value(node->outputs[0]).shape;
  ops::Reshape reshape{.shape = {result.begin(), result.end()}};
  NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] Node * replaced,
                          replace(graph, node, std::move(reshape), {node->inputs[0]}));
  return true;
}

}  // namespace

Result<int> remove_identity(Graph& graph) {
  int changes = 0;
  for (Node* node : snapshot(graph)) {
    if (!is_used(graph, *node)) continue;
    if (merge_reshapes(graph, node) || merge_transposes(graph, node)) ++changes;
    if (const ValueId equal = equal_operand(graph, *node); equal != kNoValue) {
      changes += forward(graph, node->outputs[0], equal);
      continue;
    }
    NESTRT_ASSIGN_OR_RETURN(const bool reshaped, transpose_to_reshape(graph, node));
    changes += reshaped;
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
