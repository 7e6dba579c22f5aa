// SPDX-License-Identifier: Apache-2.0
// Converts a branch, whose tensors use unit-specific layouts, to a plain graph that can be exported as ONNX for a
// vendor's compiler.
#pragma once

#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct BranchModel {
  Graph body;                            // only the branch, with plain layouts
  std::vector<ValueId> inputs, outputs;  // values of the original graph, in the order of the body's
};

// Requires `nodes` of the graph, with layouts assigned and nothing packed. Errors: kUnsupported if a result may be a
// view of a value that other branches compute, or exists in two layouts.
Result<BranchModel> branch_model(const Graph& graph, Subgraph nodes);

}  // namespace nestrt::compiler
