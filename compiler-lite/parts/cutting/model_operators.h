// SPDX-License-Identifier: Apache-2.0
// The operators of a model by name, as partition plans refer to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// One ONNX node, which import may have turned into several consecutive nodes of the graph. Parts contain all of them or
// none. Adjacent ONNX nodes of one name are one operator.
struct ModelOperator {
  std::string name;  // unique; the ONNX node's name in a form that partition plans support (tools::nest_c_names)
  size_t first = 0;  // in Graph::nodes()
  size_t count = 0;
};

// Requires a tidy graph as imported. Returns the operators in its order.
std::vector<ModelOperator> model_operators(const Graph& graph);

// By operator, the operators whose results it reads and the operators that read its results; ascending without
// duplicates.
struct OperatorLinks {
  std::vector<std::vector<uint32_t>> reads, feeds;
};
OperatorLinks operator_links(const Graph& graph, const std::vector<ModelOperator>& operators);

}  // namespace nestrt::compiler
