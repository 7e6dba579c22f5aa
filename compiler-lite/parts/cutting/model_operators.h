// The operators of a model by name, as partition plans speak of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// One ONNX node, which import may have made several nodes of the graph. They follow each other, and no part of the
// model has some of them only. Adjacent ONNX nodes of one name are one operator.
struct ModelOperator {
  std::string name;  // the ONNX node's as partition plans can hold it (tools::nest_c_names); no two are the same
  size_t first = 0;  // in Graph::nodes()
  size_t count = 0;
};

// Requires: a tidy graph as it was imported; operators in its order.
std::vector<ModelOperator> model_operators(const Graph& graph);

// By operator, those whose results it reads, and those that read its own; each once, in ascending order.
struct OperatorLinks {
  std::vector<std::vector<uint32_t>> reads, feeds;
};
OperatorLinks operator_links(const Graph& graph, const std::vector<ModelOperator>& operators);

}  // namespace nestrt::compiler
