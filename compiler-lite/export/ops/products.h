// Operands of convolutions and fully connected layers.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Input, weights and bias, where there is one, as real numbers. Integers of a bias are in steps of the product of the
// input's and the weights'.
std::vector<std::string> product_operands(NodeWriter& node);

}  // namespace nestrt::compiler
