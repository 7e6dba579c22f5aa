// SPDX-License-Identifier: Apache-2.0
// ONNX nodes of operators without their constants, for checking what a vendor's compiler supports.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// An ONNX node.
struct OnnxForm {
  std::string op_type;
  std::map<std::string, std::vector<double>> numbers;  // attributes that are numbers or lists of numbers
  std::map<std::string, std::string> texts;            // string attributes
};

// Returns, by node of the graph, the ONNX nodes that export_onnx() writes for it. The list is empty for a node that is
// written together with a later one. Errors: those of export_onnx(), except those of the ONNX library.
Result<std::vector<std::vector<OnnxForm>>> onnx_forms(const Graph& graph, const ExportForm& form);

}  // namespace nestrt::compiler
