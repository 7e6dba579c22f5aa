// SPDX-License-Identifier: Apache-2.0
// Products: Conv and Dense, the nodes that multiply their input by weights.
#pragma once

#include <cstddef>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Operand indices. A Dense has no residual.
inline constexpr size_t kWeights = 1, kBias = 2, kResidual = 3;

bool is_product(const Node& node);

// Returns the activation of a product; kNone for other nodes.
ops::Activation product_activation(const Node& node);

// Returns the output channel axis of the weights. Requires: a product.
int output_channel_axis(const Node& node);

// Returns true if the weights and the optional bias are f32 constants and there is no residual. Requires: a product.
bool has_constant_operands(const Graph& graph, const Node& node);

}  // namespace nestrt::compiler
