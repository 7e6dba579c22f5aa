#include "compiler-lite/graph/folding_budget.h"

#include "compiler-lite/graph/evaluation_steps.h"

namespace nestrt::compiler {

bool FoldingBudget::charge(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                           std::span<const TensorSpec> outputs) {
  uint64_t bytes = 0;
  for (const TensorSpec& output : outputs)
    if (__builtin_add_overflow(bytes, static_cast<uint64_t>(output.storage_bytes()), &bytes)) return false;
  const auto steps = static_cast<uint64_t>(evaluation_steps(graph, attributes, inputs, outputs));
  return bytes <= bytes_.left() && steps_.charge(steps) && bytes_.charge(bytes);
}

}  // namespace nestrt::compiler
