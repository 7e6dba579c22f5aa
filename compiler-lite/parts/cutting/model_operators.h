// SPDX-License-Identifier: Apache-2.0
// The operators of a model by name, as partition plans refer to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// One ONNX node, which import may have turned into several consecutive nodes of the graph. Parts contain all of them or
// none. Adjacent ONNX nodes with the same name count as one operator.
struct ModelOperator {
  std::string name;  // unique; the ONNX node's name in a form that partition plans support (tools::nest_c_names)
  size_t first = 0;  // in Graph::nodes()
  size_t count = 0;
};

// Returns the operators in the order of the graph, which must be tidy and unchanged since import.
std::vector<ModelOperator> model_operators(const Graph& graph);

// For each operator, the operators whose results it reads and the operators that read its results, in ascending order
// without duplicates.
struct OperatorLinks {
  std::vector<std::vector<uint32_t>> reads, feeds;
};
OperatorLinks operator_links(const Graph& graph, const std::vector<ModelOperator>& operators);

}  // namespace nestrt::compiler
