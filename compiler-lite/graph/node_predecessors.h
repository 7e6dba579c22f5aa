// SPDX-License-Identifier: Apache-2.0
// Dependencies between the nodes of a graph.
#pragma once

#include "compiler-lite/graph/graph.h"
#include "runtime/core/predecessors.h"

namespace nestrt::compiler {

// Returns, by position in Graph::nodes(), the nodes whose results the node reads. Requires: a tidy graph.
Predecessors node_predecessors(const Graph& graph);

}  // namespace nestrt::compiler
