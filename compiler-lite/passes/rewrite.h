// SPDX-License-Identifier: Apache-2.0
// Helpers of the passes: queries about nodes and constants, and rewrites that keep names, types and shapes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Returns the current nodes, to iterate while nodes are added. The pointers stay valid until tidy().
std::vector<Node*> snapshot(const Graph& graph);
// Returns false if a rewrite has bypassed the node, so that tidy() will drop it.
bool is_used(const Graph& graph, const Node& node);

// Returns the elements of an f32 constant; empty for other values.
std::span<const float> floats(const Graph& graph, ValueId id);
// Returns the common value of all elements of an f32 constant, or nullopt.
std::optional<float> uniform_value(const Graph& graph, ValueId id);
// Returns the producer of operand `index` if it is of kind Op and has no other user, or else null.
template <typename Op>
Node* sole_producer(const Graph& graph, const Node& node, size_t index) {
  const ValueId id = node.input(index);
  if (id == kNoValue || !graph.has_single_use(id)) return nullptr;
  Node* producer = graph.producer(id);
  return producer != nullptr && producer->as<Op>() != nullptr ? producer : nullptr;
}

// A Binary with exactly one f32 constant operand.
struct ConstantOperand {
  ValueId variable = kNoValue;
  ValueId constant = kNoValue;
  bool constant_first = false;  // constant - x instead of x - constant
};
std::optional<ConstantOperand> constant_operand(const Graph& graph, const Node& node);

// Removes the node's operands, so it no longer counts as their user. tidy() drops the node once its results are unused.
void retire(Graph& graph, Node* node);
// Replaces every use of `from` with `to`, which must contain the same elements. The name of a graph output moves to
// `to`. Returns false and changes nothing if a graph output would become an input, a constant or another output.
bool forward(Graph& graph, ValueId from, ValueId to);
// Makes `first` compute the result of `second`, the only user of its first output. The value gets the name of second's
// result.
void absorb(Graph& graph, Node* first, Node* second);
// Replaces `old` with a new node with the same name, output name and quantization. Errors: kInternal if type or shape
// differ.
Result<Node*> replace(Graph& graph, Node* old, ops::Attributes attributes, const std::vector<ValueId>& inputs);

// Returns the activation that computes the same function, or nullopt if it cannot be fused.
std::optional<ops::Activation> as_activation(const ops::Unary& unary);

// Returns the operator that computes the activation. Requires: not kNone.
ops::Unary as_unary(const ops::Activation& activation);

// Returns true for an average over windows whose s8 sums fit 32 bits.
bool is_s8_average(const ops::Pool& pool);

// Returns true if permuting `shape` moves only dimensions of size 1, so the element order does not change.
bool keeps_order(const Shape& shape, const std::vector<int32_t>& permutation);

// Converts an axis that may count from the end to [0, rank).
inline int from_front(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace nestrt::compiler
