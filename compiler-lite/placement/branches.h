// Placement of a graph: how its operators fall into branches, and which units may run each.
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
  std::vector<size_t> backends;  // positions in Backends that take it; the host, unless it has no kernel, first
};

struct Placement {
  std::vector<PlacedBranch> branches;  // in file order; every node is in one
  // By backend and node: why it takes the node in no branch that begins there; empty where it does, and for the host.
  std::vector<std::vector<std::string>> refusals;
};

// By node of a tidy graph: whether it goes on where the node before it ends. It reads what that node computes and what
// no other does, and nothing else reads it: so branches end at forks and begin at joins.
std::vector<bool> chain_links(const Graph& graph);

// Where a unit beside the host takes nodes, the longest run of them that one of its programs can compute is a branch;
// what is left falls into chains for the host. Requires: layouts are chosen; a host among the backends.
// Errors: kUnsupported where the host has no kernel for a node.
Result<Placement> place_branches(const Graph& graph, const Backends& backends);

}  // namespace nestrt::compiler
