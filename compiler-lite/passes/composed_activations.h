// SPDX-License-Identifier: Apache-2.0
// Recognises activations by the function that they compute, regardless of the operators that an exporter used.
#pragma once

#include <optional>

#include "compiler-lite/passes/univariate.h"

namespace nestrt::compiler {

// Returns the Unary that computes the same function, or nullopt. Compares the two functions at many points, including
// points next to the constants, where a piecewise function may change.
std::optional<ops::Unary> known_activation(const Univariate& function);

// Replaces composed activations, such as x * 0.5 * (1 + erf(x / sqrt(2))), by one Unary each. Returns their number.
Result<int> recognise_composed_activations(Graph& graph);

}  // namespace nestrt::compiler
