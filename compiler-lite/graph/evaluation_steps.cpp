// SPDX-License-Identifier: Apache-2.0
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

bool charge_folding(Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                    std::span<const TensorSpec> outputs) {
  uint64_t bytes = 0;
  for (const TensorSpec& output : outputs)
    if (__builtin_add_overflow(bytes, static_cast<uint64_t>(output.storage_bytes()), &bytes)) return false;
  return graph.folding.charge(bytes, static_cast<uint64_t>(evaluation_steps(graph, attributes, inputs, outputs)));
}

}  // namespace nestrt::compiler
