// The table of how each operator of the graph is written in ONNX: the way back of compiler-lite/import/ops.
#pragma once

#include <span>
#include <string>

#include "nestrt/driver/operators.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

class NodeWriter;

struct ExportRule {
  ops::Kind kind = ops::Kind::kInvalidIndex;
  // Writes the nodes that compute one operator, with real numbers where it is quantized; gives the name of the result.
  Result<std::string> (*write)(NodeWriter& node) = nullptr;
};

// Null where an operator has no form in ONNX: a Reorder, which changes nothing but the layout.
const ExportRule* find_export_rule(ops::Kind kind);

}  // namespace nestrt::compiler
