// SPDX-License-Identifier: Apache-2.0
// Exports operators that import decomposed into several nodes as one ONNX node again: MatMul with more than two
// dimensions, Split, DepthToSpace and SpaceToDepth. Vendors' compilers quantize every node, so the number of nodes
// changes their results.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Returns how many of the consecutive nodes form one such operator, or 0.
size_t whole_operator_size(const Graph& graph, std::span<const Node* const> nodes);

// A result of the operator: the node of the graph that computes it, and its name in ONNX.
struct WholeResult {
  const Node* node = nullptr;
  std::string name;
};
// Writes the operator. Requires that `nodes` form exactly one. `node`: writer of the first one.
std::vector<WholeResult> write_whole_operator(NodeWriter& node, std::span<const Node* const> nodes);

}  // namespace nestrt::compiler
