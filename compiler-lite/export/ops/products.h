// SPDX-License-Identifier: Apache-2.0
// Operands of convolutions and fully connected layers.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Returns input, weights and the optional bias as real numbers. An integer bias is in steps of input scale * weight
// scale.
// With `transposes`, the weights are transposed.
std::vector<std::string> product_operands(NodeWriter& node, bool transposes = false);

}  // namespace nestrt::compiler
