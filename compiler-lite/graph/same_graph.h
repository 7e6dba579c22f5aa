// SPDX-License-Identifier: Apache-2.0
// Structural comparison of graphs.
#pragma once

#include "compiler-lite/graph/graph.h"
#include "nestrt/status.h"

namespace nestrt::compiler {

// Returns ok if both graphs have the same inputs and outputs by name, type and shape, and the same operators between
// them: attributes, types, shapes, quantizations and bit-identical constants. Names of nodes and inner values and the
// order of nodes may differ. Requires: both tidy.
// Errors: kInvalidArgument with the first difference found.
Status same_graph(const Graph& actual, const Graph& expected);

}  // namespace nestrt::compiler
