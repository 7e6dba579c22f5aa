// Regions: the series-parallel structure of a graph of operators or branches.
//
// A cut point is a node that every path from the graph's beginning to its end passes. What lies between two
// neighbouring cut points is a parallel group if it falls into several parts that no edge connects (the branches), or
// if an edge also leads past it (an identity skip, a branch without nodes): the first cut point is the fork, the
// second, its immediate post-dominator, the join. Branches are divided in the same way. A part that cannot be divided
// so is unstructured: its children are single nodes, and the largest structured parts with one entry and one exit.
// Algorithm: cut points in one sweep over the edges; dominators after Cooper, Harvey and Kennedy (2001). Time is
// proportional to the size of the graph times the depth of nesting.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/predecessors.h"

namespace nestrt::scheduler {

enum class RegionKind : uint8_t {
  kNode,
  kSeries,        // children one after the other
  kParallel,      // children side by side
  kUnstructured,  // children in topological order, some side by side: their dependencies are those of the graph
};

struct Region {
  RegionKind kind = RegionKind::kNode;
  uint32_t node = 0;               // kNode
  std::vector<uint32_t> children;  // positions in RegionTree::regions
  bool has_skip = false;           // kParallel: one more branch, without nodes
};

struct RegionTree {
  static constexpr uint32_t kMaxDepth = 60;  // what is nested deeper is unstructured

  std::vector<Region> regions;  // children before parents; the last is the root; every node is one leaf

  // The nodes below a region, in topological order.
  std::vector<uint32_t> nodes_of(uint32_t region) const;
};

// An input of the network is a node only if the caller makes it one.
RegionTree find_regions(const Predecessors& graph);

struct ParallelGroup {
  uint32_t region = 0;
  uint32_t branches = 0;  // the skip included; of an unstructured group its children
  bool has_skip = false;
  bool is_structured = true;
  uint32_t nesting = 0;  // groups that it is part of
};

// Outer groups before those inside them, else in topological order.
std::vector<ParallelGroup> parallel_groups(const RegionTree& tree);

// In topological order.
std::vector<uint32_t> cut_points(const Predecessors& graph);

// The nodes that all others come before or after: the cut points, and nodes that only edges pass by. In topological
// order.
std::vector<uint32_t> barriers(const Predecessors& graph);

}  // namespace nestrt::scheduler
