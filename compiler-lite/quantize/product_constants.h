// SPDX-License-Identifier: Apache-2.0
// Weights and biases that replace those of products before quantization.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct ProductConstants {
  std::vector<float> weights;  // in the order of the present ones
  std::vector<float> bias;     // by output channel
};

using ReplacedConstants = std::map<std::string, ProductConstants, std::less<>>;  // by name of node

// Requires: named nodes are products with constant operands, and sizes match.
void replace_constants(Graph& graph, const ReplacedConstants& constants);

}  // namespace nestrt::compiler
