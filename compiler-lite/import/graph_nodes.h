// SPDX-License-Identifier: Apache-2.0
// Imports the nodes of an ONNX graph in data-flow order: those of the model, and those of the subgraphs of If, Loop and
// Scan once per execution.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

class GraphBuilder;
struct OnnxGraph;

// Reports all unsupported operators in one message. Subgraphs are checked when they are imported. Errors: kUnsupported.
Status check_operators(const OnnxGraph& graph, int64_t opset);

// Requires: the graph's inputs and initializers are defined, and check_operators() succeeded.
Status import_nodes(GraphBuilder& builder, const OnnxGraph& graph, int64_t opset);

// Imports a subgraph once with these inputs and returns its outputs. Its values are named `scope_name`/name. Errors
// include kInvalidModel if the model exceeds its limits.
Result<std::vector<ValueId>> import_subgraph(GraphBuilder& builder, const OnnxGraph& graph,
                                             const std::vector<ValueId>& inputs, std::string_view scope_name,
                                             int64_t opset);

}  // namespace nestrt::compiler
