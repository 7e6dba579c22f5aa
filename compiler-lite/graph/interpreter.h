// Runs a graph node by node with the preferred kernels, as evaluate() does: for tests of the passes and for checks of
// single layers. Needs memory for the values that are alive, not for all of them.
#pragma once

#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/graph/host_tensor.h"

namespace nestrt::compiler {

// `inputs` by graph input. Gives the `wanted` values; one in a blocked layout as that layout stores it.
// Requires: a tidy graph. Errors: kInvalidArgument where an input does not fit; kUnsupported where a node has no
// kernel.
Result<std::vector<HostTensor>> interpret(const Graph& graph, const std::vector<HostTensor>& inputs,
                                          const std::vector<ValueId>& wanted);
// The same for the graph's outputs.
Result<std::vector<HostTensor>> interpret(const Graph& graph, const std::vector<HostTensor>& inputs);

}  // namespace nestrt::compiler
