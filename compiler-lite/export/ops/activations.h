// SPDX-License-Identifier: Apache-2.0
// Element-wise functions, as separate operators or fused into another operator.
#pragma once

#include <string>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Writes kind(x) and returns the name of the result. `alpha` and `beta`: as in ops::Unary. `type`: type of x.
std::string write_unary(NodeWriter& node, ops::UnaryKind kind, const std::string& x, DataType type, float alpha,
                        float beta);
// Writes the activation of `x`. Returns `x` if there is no activation.
std::string write_activation(NodeWriter& node, const ops::Activation& activation, const std::string& x);

}  // namespace nestrt::compiler
