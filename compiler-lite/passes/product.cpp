// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/product.h"

#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {

bool is_product(const Node& node) { return node.as<ops::Conv>() != nullptr || node.as<ops::Dense>() != nullptr; }

ops::Activation product_activation(const Node& node) {
  const auto* conv = node.as<ops::Conv>();
  const auto* dense = node.as<ops::Dense>();
  return conv != nullptr ? conv->activation : dense != nullptr ? dense->activation : ops::Activation{};
}

int output_channel_axis(const Node& node) { return node.as<ops::Dense>() != nullptr ? 1 : 0; }

bool has_constant_operands(const Graph& graph, const Node& node) {
  return node.input(kResidual) == kNoValue && !floats(graph, node.input(kWeights)).empty() &&
         (node.input(kBias) == kNoValue || !floats(graph, node.input(kBias)).empty());
}

}  // namespace nestrt::compiler
