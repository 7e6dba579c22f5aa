// SPDX-License-Identifier: Apache-2.0
// Interprets a graph: runs it node by node with the preferred kernels. Used by tests of passes and by checks of single
// layers. Keeps only live values in memory.
#pragma once

#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/graph/host_tensor.h"

namespace nestrt::compiler {

// Runs the graph and returns the `wanted` values. `inputs`: by graph input. A value in a blocked layout is returned in
// that layout.
// Requires: a tidy graph. Errors: kInvalidArgument if an input does not fit; kUnsupported if a node has no kernel.
Result<std::vector<HostTensor>> interpret(const Graph& graph, const std::vector<HostTensor>& inputs,
                                          const std::vector<ValueId>& wanted);
// Returns the graph's outputs.
Result<std::vector<HostTensor>> interpret(const Graph& graph, const std::vector<HostTensor>& inputs);

}  // namespace nestrt::compiler
