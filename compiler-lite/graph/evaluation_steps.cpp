#include "compiler-lite/graph/evaluation_steps.h"

#include "compiler-lite/graph/bound_operator.h"
#include "kernels/registry.h"

namespace nestrt::compiler {

int64_t evaluation_steps(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                         std::span<const TensorSpec> outputs) {
  const BoundOperator bound(graph, attributes, inputs);
  OperatorSpec spec = bound.spec();
  spec.outputs = outputs;
  return kernels::operators().find(spec.kind())->steps.get()(spec);
}

}  // namespace nestrt::compiler
