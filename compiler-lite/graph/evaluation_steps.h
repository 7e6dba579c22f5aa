// What evaluating a node costs, before it is done: the bound on work that a model may ask of the compiler.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/graph/graph.h"
#include "kernels/registry.h"

namespace nestrt::compiler {

// What folding constants may spend in all, and what each byte of the model's constants adds to that, so that weights of
// any size may be transposed or converted.
inline constexpr int64_t kFoldingSteps = int64_t{1} << 29;
inline constexpr int64_t kFoldingStepsPerByte = 8;

// Steps that evaluate() takes for a node that gives `outputs` (OperatorRules::steps). Requires: infer() accepts it.
inline int64_t evaluation_steps(const Graph& graph, const ops::Attributes& attributes,
                                const std::vector<ValueId>& inputs, std::span<const TensorSpec> outputs) {
  const BoundOperator bound(graph, attributes, inputs);
  OperatorSpec spec = bound.spec();
  spec.outputs = outputs;
  return kernels::operators().find(spec.kind())->steps.get()(spec);
}

}  // namespace nestrt::compiler
