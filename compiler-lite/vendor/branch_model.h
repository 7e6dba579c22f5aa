// A branch, whose tensors lie as the units beside it want them, as a model in standard ONNX: what a vendor's compiler
// gets of it.
#pragma once

#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct BranchModel {
  Graph body;                            // the branch alone, everything plain
  std::vector<ValueId> inputs, outputs;  // of the graph that it is a branch of, in the order of the body's
};

// Requires: `nodes` are of the graph, which is laid out, and nothing is packed yet. Errors: kUnsupported where a
// result may be a view of what others compute, or is there twice, in two layouts.
Result<BranchModel> branch_model(const Graph& graph, Subgraph nodes);

}  // namespace nestrt::compiler
