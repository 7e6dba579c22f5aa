// The order that a graph's values impose on its nodes.
#pragma once

#include "compiler-lite/graph/graph.h"
#include "runtime/core/predecessors.h"

namespace nestrt::compiler {

// By position in Graph::nodes(), the nodes that compute what the node there reads. Requires: a tidy graph.
Predecessors node_predecessors(const Graph& graph);

}  // namespace nestrt::compiler
