// SPDX-License-Identifier: Apache-2.0
// Replaces the weights and biases of products before quantization.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct ProductConstants {
  std::vector<float> weights;  // in the order of the current weights
  std::vector<float> bias;     // by output channel
};

using ReplacedConstants = std::map<std::string, ProductConstants, std::less<>>;  // by node name

// Requires: the named nodes are products with constant operands, and the sizes match.
void replace_constants(Graph& graph, const ReplacedConstants& constants);

}  // namespace nestrt::compiler
