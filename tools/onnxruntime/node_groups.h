// SPDX-License-Identifier: Apache-2.0
// Division of a graph into groups of nodes that an execution provider can take over.
#pragma once

#include <cstddef>
#include <vector>

namespace nestrt::ort {

// The nodes that each node reads from, all with smaller indices.
using Predecessors = std::vector<std::vector<size_t>>;

// Returns connected groups of the nodes for which `supported` is true, with ascending indices. Every such node is in
// one group. No path leaves a group and returns to it, and none leads from one group to another and back, so that each
// group can become one node.
std::vector<std::vector<size_t>> convex_groups(const Predecessors& predecessors, const std::vector<bool>& supported);

}  // namespace nestrt::ort
