// SPDX-License-Identifier: Apache-2.0
// Exports a BatchNormalization, which import converts to a multiplication and an addition per channel, as one operator
// again.
#pragma once

#include <string>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Returns true if the consecutive nodes `product` and `sum` have the form to which import converts a
// BatchNormalization.
bool is_batch_normalization(const Graph& graph, const Node& product, const Node& sum);

// Writes a BatchNormalization and returns the name of its result. Uses the model's parameters if they are known, or
// else mean 0, variance 1 and epsilon 0. Import converts both to the same operators. `node`: writer of the sum.
std::string write_batch_normalization(NodeWriter& node, const std::string& x, const Node& product);

}  // namespace nestrt::compiler
