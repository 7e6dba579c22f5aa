// The parts of a model that a vendor's compiler takes, by its capability file.
//
// Operators that it takes and that follow each other are a region: as large as the rule allows that what is computed
// before and after it by the host can be. A region whose constants pass the vendor's memory is divided. One that has
// too few operators or multiply-accumulates, or saves less time than it costs to hand over, is left to the host; so
// there are no more parts than operators of the model divided by min_operators.
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
  uint32_t op = 0;  // by position in the model's operators
  std::string reason;
};

struct AutomaticParts {
  std::vector<PartSpec> parts;             // the vendor's
  std::vector<RejectedOperator> rejected;  // all other operators, in the model's order
};

// `opset`: of the ONNX that the vendor gets. Errors: those of onnx_forms().
Result<AutomaticParts> automatic_parts(const Graph& graph, const Capability& capability, int64_t opset);

}  // namespace nestrt::compiler
