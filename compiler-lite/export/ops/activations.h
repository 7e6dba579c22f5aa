// Functions of one element, alone or fused into another operator.
#pragma once

#include <string>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// The name of kind(x); `alpha` and `beta` as ops::Unary has them. `type`: of x.
std::string write_unary(NodeWriter& node, ops::UnaryKind kind, const std::string& x, DataType type, float alpha,
                        float beta);
// `x` itself where there is no activation.
std::string write_activation(NodeWriter& node, const ops::Activation& activation, const std::string& x);

}  // namespace nestrt::compiler
