// The nodes of an ONNX graph, imported in the order of the data flow: the model's own, and those of the subgraphs of
// If, Loop and Scan, as often as they run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

class GraphBuilder;
struct OnnxGraph;

// One message for all operators that are missing; those of subgraphs are looked at when they are imported. Errors:
// kUnsupported.
Status check_operators(const OnnxGraph& graph, int64_t opset, bool has_functions = false);

// Requires: the graph's inputs and initializers are defined, and check_operators().
Status import_nodes(GraphBuilder& builder, const OnnxGraph& graph, int64_t opset);

// A subgraph with these inputs, once; its outputs. Its values are called `scope_name`/name. Errors: also kInvalidModel
// where this takes the model past its limits.
Result<std::vector<ValueId>> import_subgraph(GraphBuilder& builder, const OnnxGraph& graph,
                                             const std::vector<ValueId>& inputs, std::string_view scope_name,
                                             int64_t opset);

}  // namespace nestrt::compiler
