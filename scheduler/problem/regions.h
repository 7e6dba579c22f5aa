// SPDX-License-Identifier: Apache-2.0
// Regions: the series-parallel structure of a graph of operators or branches.
//
// A cut point is a node on every path from the beginning of the graph to its end. The nodes between two neighbouring
// cut points form a parallel group if they consist of several components without edges between them (the branches), or
// if an edge bypasses them (an identity skip, which is a branch without nodes). The first cut point is the fork. The
// second, the fork's immediate post-dominator, is the join. Branches are decomposed recursively. A component that
// cannot be decomposed in this way is unstructured. Its children are single nodes and the largest structured subgraphs
// with one entry and one exit.
// Algorithm: finds cut points in one sweep over the edges, and dominators after Cooper, Harvey and Kennedy (2001). The
// running time is proportional to the size of the graph times the nesting depth.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/predecessors.h"

namespace nestrt::scheduler {

enum class RegionKind : uint8_t {
  kNode,
  kSeries,        // children run one after another
  kParallel,      // children are independent
  kUnstructured,  // children in topological order, with the dependencies of the graph
};

struct Region {
  RegionKind kind = RegionKind::kNode;
  uint32_t node = 0;               // kNode
  std::vector<uint32_t> children;  // indices into RegionTree::regions
  bool has_skip = false;           // kParallel: has an additional branch without nodes
};

struct RegionTree {
  static constexpr uint32_t kMaxDepth = 60;  // deeper levels are unstructured

  std::vector<Region> regions;  // children before parents; the last is the root; each node is exactly one leaf

  // Returns the nodes below a region in topological order.
  std::vector<uint32_t> nodes_of(uint32_t region) const;
};

// Returns the regions of the graph. Network inputs are nodes only if the caller adds them to the graph.
RegionTree find_regions(const Predecessors& graph);

struct ParallelGroup {
  uint32_t region = 0;
  uint32_t branches = 0;  // including the skip; the children of an unstructured group
  bool has_skip = false;
  bool is_structured = true;
  uint32_t nesting = 0;  // number of groups that contain it
};

// Returns the parallel groups in topological order, each outer group before the groups inside it.
std::vector<ParallelGroup> parallel_groups(const RegionTree& tree);

// Returns the cut points in topological order.
std::vector<uint32_t> cut_points(const Predecessors& graph);

// Returns, in topological order, the nodes that every other node precedes or follows: the cut points, and nodes
// bypassed only by edges.
std::vector<uint32_t> barriers(const Predecessors& graph);

}  // namespace nestrt::scheduler
