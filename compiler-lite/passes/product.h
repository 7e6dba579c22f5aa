// Products: Conv and Dense, the nodes that multiply their input by weights.
#pragma once

#include <cstddef>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Their operands; a Dense has no residual.
inline constexpr size_t kWeights = 1, kBias = 2, kResidual = 3;

bool is_product(const Node& node);

// The activation of a product; none where the node is of another kind.
ops::Activation product_activation(const Node& node);

// The axis of the weights that counts output channels. Requires: a product.
int output_channel_axis(const Node& node);

// True where the weights and the bias, if there is one, are f32 constants and there is no residual. Requires: a
// product.
bool has_constant_operands(const Graph& graph, const Node& node);

}  // namespace nestrt::compiler
