// How the operators of a graph fall into branches and regions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/plan_generated.h"

namespace nestrt::compiler {

// By node of a tidy graph: whether it goes on where the node before it ends. It reads what that node computes and what
// no other does, and nothing else reads it: so branches end at forks and begin at joins.
std::vector<bool> chain_links(const Graph& graph);

// The region tree of branches; `branch_of` by node. Children that no tree can order are written as a series, which is
// an order that is always right.
std::vector<std::unique_ptr<plan::RegionT>> region_tree(const Graph& graph, std::span<const uint32_t> branch_of,
                                                        uint32_t num_branches);

}  // namespace nestrt::compiler
