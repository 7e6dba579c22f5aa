// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/product_constants.h"

#include "compiler-lite/passes/product.h"

namespace nestrt::compiler {
namespace {

void replace_operands(Graph& graph, Node* node, const ProductConstants& constants) {
  const Value weights = graph.value(node->inputs[kWeights]);
  graph.set_input(node, kWeights, graph.add_constant(weights.name, constants.weights, weights.shape));
  const bool has_bias = node->input(kBias) != kNoValue;
  const std::string name = has_bias ? graph.value(node->inputs[kBias]).name : node->name + ".bias";
  const ValueId bias = graph.add_constant(name, constants.bias, Shape{static_cast<int64_t>(constants.bias.size())});
  if (node->inputs.size() > kBias)
    graph.set_input(node, kBias, bias);
  else
    graph.add_input(node, bias);
}

}  // namespace

void replace_constants(Graph& graph, const ReplacedConstants& constants) {
  for (const auto& node : graph.nodes()) {
    const auto found = constants.find(node->name);
    if (found != constants.end() && is_product(*node)) replace_operands(graph, node.get(), found->second);
  }
}

}  // namespace nestrt::compiler
