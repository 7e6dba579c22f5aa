// SPDX-License-Identifier: Apache-2.0
// Placement of a graph: its division into branches, and the units that may run each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Nodes [first, first + count) of Graph::nodes().
struct PlacedBranch {
  size_t first = 0;
  size_t count = 0;
  // indices of the backends that accept the branch; the host comes first if it has a kernel
  std::vector<size_t> backends;
};

struct Placement {
  std::vector<PlacedBranch> branches;  // in file order; they cover every node
  // By backend and node: the reason why the backend accepts no branch that starts at the node. Empty if it accepts such
  // a branch, and for the host.
  std::vector<std::vector<std::string>> refusals;
};

// Returns, for each node of a tidy graph, whether it continues the previous node's chain. It does if it is the only
// reader of that node's result and reads no other computed value. Branches thus end at forks and start at joins.
std::vector<bool> chain_links(const Graph& graph);

// Forms a branch from the longest run of nodes that one program of a unit other than the host can compute. The
// remaining nodes form chains for the host. Requires: layouts are chosen; a host is among the backends. Errors:
// kUnsupported if the host has no kernel for a node.
Result<Placement> place_branches(const Graph& graph, const Backends& backends);

}  // namespace nestrt::compiler
