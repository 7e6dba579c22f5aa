// What the passes share: questions about nodes and constants, and rewrites that keep names, types and shapes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// The nodes as they are now, to walk while nodes are added. The pointers stay valid until tidy().
std::vector<Node*> snapshot(const Graph& graph);
// False where nothing needs the node's results any more: a rewrite has passed it by and tidy() will drop it.
bool is_used(const Graph& graph, const Node& node);

// The elements of an f32 constant; empty where `id` is anything else.
std::span<const float> floats(const Graph& graph, ValueId id);
// The value that all elements of an f32 constant have in common.
std::optional<float> uniform_value(const Graph& graph, ValueId id);
// The node behind operand `index`, if it is of kind Op and feeds nothing else; else null.
template <typename Op>
Node* sole_producer(const Graph& graph, const Node& node, size_t index) {
  const ValueId id = node.input(index);
  if (id == kNoValue || !graph.has_single_use(id)) return nullptr;
  Node* producer = graph.producer(id);
  return producer != nullptr && producer->as<Op>() != nullptr ? producer : nullptr;
}

// A Binary of which one operand is an f32 constant.
struct ConstantOperand {
  ValueId variable = kNoValue;
  ValueId constant = kNoValue;
  bool constant_first = false;  // constant - x instead of x - constant
};
std::optional<ConstantOperand> constant_operand(const Graph& graph, const Node& node);

// Takes the node's operands away: it no longer counts as their user. tidy() drops it once nobody uses its results.
void retire(Graph& graph, Node* node);
// `to` holds the same elements as `from`: every use of `from` becomes one of `to`. The name of a graph output moves
// along. False, and nothing is changed, where a graph output would become an input, a constant or another output.
bool forward(Graph& graph, ValueId from, ValueId to);
// `first` now computes what `second`, the only user of its first output, gave; that value takes second's name.
void absorb(Graph& graph, Node* first, Node* second);
// A new node in place of `old`, with its name and its output's name and quantization. kInternal where type or shape
// come out otherwise.
Result<Node*> replace(Graph& graph, Node* old, ops::Attributes attributes, const std::vector<ValueId>& inputs);

// The activation that an operator can have fused which computes this; empty for other functions.
std::optional<ops::Activation> as_activation(const ops::Unary& unary);

// The operator that computes the activation. Requires: one other than kInvalidIndex.
ops::Unary as_unary(const ops::Activation& activation);

// True for an average over windows whose sums of s8 fit 32 bits.
bool is_s8_average(const ops::Pool& pool);

// True where a Transpose of such a tensor leaves the elements where they are: it only moves dimensions of 1.
bool keeps_order(const Shape& shape, const std::vector<int32_t>& permutation);

// An axis that counts from either end, as one in [0, rank).
inline int from_front(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace nestrt::compiler
