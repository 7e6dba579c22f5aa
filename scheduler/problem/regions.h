// SPDX-License-Identifier: Apache-2.0
// Regions: the series-parallel structure of a graph of operators or branches.
//
// A cut point is a node that every path from the graph's beginning to its end passes. The nodes between two
// neighbouring cut points form a parallel group if they fall into several parts that no edge connects (the branches),
// or if an edge also bypasses them (an identity skip, a branch without nodes). The first cut point is the fork; the
// second, its immediate post-dominator, is the join. Branches are decomposed in the same way. A part that cannot be
// decomposed so is unstructured: its children are single nodes and the largest structured parts with one entry and one
// exit.
// Algorithm: cut points in one sweep over the edges; dominators after Cooper, Harvey and Kennedy (2001). Time is
// proportional to the size of the graph times the depth of nesting.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/predecessors.h"

namespace nestrt::scheduler {

enum class RegionKind : uint8_t {
  kNode,
  kSeries,        // children run one after the other
  kParallel,      // children are independent
  kUnstructured,  // children in topological order, with the dependencies of the graph
};

struct Region {
  RegionKind kind = RegionKind::kNode;
  uint32_t node = 0;               // kNode
  std::vector<uint32_t> children;  // indices into RegionTree::regions
  bool has_skip = false;           // kParallel: one more branch, without nodes
};

struct RegionTree {
  static constexpr uint32_t kMaxDepth = 60;  // deeper nesting is unstructured

  std::vector<Region> regions;  // children before parents; the last is the root; every node is one leaf

  // Returns the nodes below a region in topological order.
  std::vector<uint32_t> nodes_of(uint32_t region) const;
};

// Network inputs are nodes only if the caller makes them nodes.
RegionTree find_regions(const Predecessors& graph);

struct ParallelGroup {
  uint32_t region = 0;
  uint32_t branches = 0;  // including the skip; the children of an unstructured group
  bool has_skip = false;
  bool is_structured = true;
  uint32_t nesting = 0;  // number of groups that contain it
};

// Returns outer groups before those inside them, otherwise in topological order.
std::vector<ParallelGroup> parallel_groups(const RegionTree& tree);

// Returns the cut points in topological order.
std::vector<uint32_t> cut_points(const Predecessors& graph);

// Returns, in topological order, the nodes that every other node precedes or follows: the cut points, and nodes that
// only edges bypass.
std::vector<uint32_t> barriers(const Predecessors& graph);

}  // namespace nestrt::scheduler
