// SPDX-License-Identifier: Apache-2.0
// Selects the parts of a model for a vendor's compiler according to its capability file.
//
// A region is a maximal set of connected operators that the compiler accepts, such that the host can compute the other
// operators before and after it. A region whose constants exceed the vendor's memory is divided. A region stays on the
// host if it contains too few operators or multiply-accumulates, or if it saves less time than its transfers cost. The
// number of parts is therefore at most the model's number of operators divided by min_operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/capability.h"
#include "compiler-lite/parts/cutting/cut.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct RejectedOperator {
  uint32_t op = 0;  // position in the model's operators
  std::string reason;
};

struct AutomaticParts {
  std::vector<PartSpec> parts;             // for the vendor
  std::vector<RejectedOperator> rejected;  // all other operators, in the model's order
};

// `form`: the form of the ONNX files for the vendor. Errors: those of onnx_forms().
Result<AutomaticParts> automatic_parts(const Graph& graph, const Capability& capability, const ExportForm& form);

}  // namespace nestrt::compiler
