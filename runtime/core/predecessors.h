// SPDX-License-Identifier: Apache-2.0
// Predecessors: a directed acyclic graph, stored as the predecessors of each node. Nodes are operators, branches, tasks
// of a schedule, or nodes of the compiler's graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/core/bit_rows.h"

namespace nestrt {

// Indexed by node. Nodes are in topological order: predecessors have smaller indices.
using Predecessors = std::vector<std::vector<uint32_t>>;

// Builds the graph of nodes that read values written by other nodes. Report the nodes in topological order, and the
// reads of a node before its writes. Every edge appears once, and predecessors are in ascending order.
class PredecessorBuilder {
 public:
  PredecessorBuilder(size_t nodes, size_t values) : predecessors_(nodes), writer_(values, kInvalidIndex) {}

  // `value` is below `values`, or negative for an absent operand. Values without a writer add no predecessor.
  void reads(uint32_t node, int32_t value);
  void writes(uint32_t node, int32_t value);
  Predecessors take() &&;

 private:
  static constexpr uint32_t kInvalidIndex = UINT32_MAX;

  Predecessors predecessors_;
  std::vector<uint32_t> writer_;  // per value
};

// Sorts the predecessors of each node and removes duplicates.
void tidy(Predecessors& graph);

// Returns the graph of the node groups: a group follows the groups that its nodes follow. Requires: a node's group
// index is not smaller than those of its predecessors.
Predecessors group_nodes(const Predecessors& graph, const std::vector<uint32_t>& group_of, size_t groups);

// Returns, for each node, all direct and indirect predecessors. Needs one bit per pair of nodes.
BitRows ancestors_of(const Predecessors& graph);

}  // namespace nestrt
