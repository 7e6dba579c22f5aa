// What evaluating a node costs, before it is done: the bound on work that a model may ask of the compiler.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// What folding constants may spend in all, and what each byte of the model's constants adds to that, so that weights of
// any size may be transposed or converted.
inline constexpr int64_t kFoldingSteps = int64_t{1} << 29;
inline constexpr int64_t kFoldingStepsPerByte = 8;

// Steps that evaluate() takes for such a node, whose outputs have `output_elements` in all: a step is a multiply-add,
// about a nanosecond of a reference kernel. An estimate from above; INT64_MAX where it overflows.
// Requires: infer() accepts the node.
int64_t evaluation_steps(const Graph& graph, const plan::AttributesUnion& attributes,
                         const std::vector<ValueId>& inputs, int64_t output_elements);

}  // namespace nestrt::compiler
