// SPDX-License-Identifier: Apache-2.0
// Cost of evaluating a node, known in advance. It bounds the compile-time work that a model can cause.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::compiler {

// Returns the number of steps that evaluate() needs for a node with these outputs (OperatorRules::steps). Requires:
// infer() accepts the node.
int64_t evaluation_steps(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                         std::span<const TensorSpec> outputs);

// Charges the bytes and steps of the node to the graph's folding budget. Returns false without charging if the budget
// is too small. Requires: infer() accepts the node.
[[nodiscard]] bool charge_folding(Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                                  std::span<const TensorSpec> outputs);

}  // namespace nestrt::compiler
