// Whether two graphs are the same network.
#pragma once

#include "compiler-lite/graph/graph.h"
#include "nestrt/status.h"

namespace nestrt::compiler {

// Ok where both have the same inputs and outputs by name, type and shape, and what leads from one to the other is the
// same: operators with their attributes, types, shapes, quantizations and, to the bit, constants. Names of nodes and of
// inner values may differ, and so may the order of the nodes. Requires: both tidy.
// Errors: kInvalidArgument with the first difference that was found.
Status same_graph(const Graph& actual, const Graph& expected);

}  // namespace nestrt::compiler
