// Predecessors: a directed graph without cycles, as what comes before each node. Nodes are operators, branches,
// tasks of a schedule, or those of the compiler's graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/core/bit_rows.h"

namespace nestrt {

// By node, those that have to come before it. Nodes are in topological order: a predecessor is smaller than its node.
using Predecessors = std::vector<std::vector<uint32_t>>;

// The graph of nodes that read what others have written. Nodes tell what they read before what they write, in
// topological order; then every edge is there once, and predecessors ascend.
class PredecessorBuilder {
 public:
  PredecessorBuilder(size_t nodes, size_t values) : predecessors_(nodes), writer_(values, kInvalidIndex) {}

  // `value`: less than `values`; negative: an operand that is absent. What nobody has written has no predecessor.
  void reads(uint32_t node, int32_t value);
  void writes(uint32_t node, int32_t value);
  Predecessors take() &&;

 private:
  static constexpr uint32_t kInvalidIndex = UINT32_MAX;

  Predecessors predecessors_;
  std::vector<uint32_t> writer_;  // by value
};

// Sorts the predecessors of each node and keeps each once.
void tidy(Predecessors& graph);

// The graph of groups of nodes: a group follows those that its nodes follow. Requires: a node's group is not smaller
// than those of its predecessors.
Predecessors group_nodes(const Predecessors& graph, const std::vector<uint32_t>& group_of, size_t groups);

// By node those that come before it in every order that respects the graph. Takes a bit for each pair of nodes.
BitRows ancestors_of(const Predecessors& graph);

}  // namespace nestrt
