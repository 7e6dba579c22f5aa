// What evaluating a node costs, before it is done: the bound on work that a model may ask of the compiler.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/driver/kernel.h"

namespace nestrt::compiler {

// Steps that evaluate() takes for a node that gives `outputs` (OperatorRules::steps). Requires: infer() accepts it.
int64_t evaluation_steps(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                         std::span<const TensorSpec> outputs);

// Takes the bytes and steps of such a node from the graph's folding budget; false, and nothing is taken, where it needs
// more than is left. Requires: infer() accepts it.
[[nodiscard]] bool charge_folding(Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                                  std::span<const TensorSpec> outputs);

}  // namespace nestrt::compiler
