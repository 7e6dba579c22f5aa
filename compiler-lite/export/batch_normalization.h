// SPDX-License-Identifier: Apache-2.0
// Exports the multiplication and addition per channel that import makes of a BatchNormalization as one operator again.
#pragma once

#include <string>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Returns true if `product` and `sum`, which follow each other, have the form that import gives a BatchNormalization.
bool is_batch_normalization(const Graph& graph, const Node& product, const Node& sum);

// Writes a BatchNormalization and returns the name of its result. Uses the parameters stated by the model if they are
// known, otherwise mean 0, variance 1 and epsilon 0. Import converts both to the same operators. `node`: writer of the
// sum.
std::string write_batch_normalization(NodeWriter& node, const std::string& x, const Node& product);

}  // namespace nestrt::compiler
