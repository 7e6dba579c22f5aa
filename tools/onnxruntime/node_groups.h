// SPDX-License-Identifier: Apache-2.0
// Divides a graph into groups of nodes that an execution provider can run.
#pragma once

#include <cstddef>
#include <vector>

namespace nestrt::ort {

// For each node, the nodes whose results it reads. All have smaller indices.
using Predecessors = std::vector<std::vector<size_t>>;

// Returns connected groups of the nodes for which `supported` is true, with ascending indices. Every such node is in
// exactly one group. No path leaves a group and returns to it, and groups do not depend on each other cyclically, so
// each group can become one node.
std::vector<std::vector<size_t>> convex_groups(const Predecessors& predecessors, const std::vector<bool>& supported);

}  // namespace nestrt::ort
