// What operators become in ONNX, without their constants: for those who ask whether somebody can take them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// An ONNX node.
struct OnnxForm {
  std::string op_type;
  std::map<std::string, std::vector<double>> numbers;  // attributes that are numbers or lists of them
  std::map<std::string, std::string> texts;            // and words
};

// By node of the graph, those that export_onnx() writes for it. None for what is written together with a node after it.
// Errors: as export_onnx(), but for what the ONNX library says.
Result<std::vector<std::vector<OnnxForm>>> onnx_forms(const Graph& graph, int64_t opset);

}  // namespace nestrt::compiler
