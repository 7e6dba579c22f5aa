// SPDX-License-Identifier: Apache-2.0
// The table of export functions by operator, the inverse of compiler-lite/import/ops.
#pragma once

#include <span>
#include <string>

#include "nestrt/driver/operators.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

class NodeWriter;

struct ExportRule {
  ops::Kind kind = ops::Kind::kNone;
  // Writes the nodes of one operator and returns the name of the result. For quantized operators, the nodes compute
  // real numbers.
  Result<std::string> (*write)(NodeWriter& node) = nullptr;
};

// Returns null if an operator has no ONNX form. This applies to Reorder, which only changes the layout.
const ExportRule* find_export_rule(ops::Kind kind);

}  // namespace nestrt::compiler
