// A BatchNormalization that import has made a multiplication and an addition per channel, in ONNX one operator again.
#pragma once

#include <string>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {

// Whether `product` and `sum`, which follow each other, are what import makes of one BatchNormalization.
bool is_batch_normalization(const Graph& graph, const Node& product, const Node& sum);

// Writes it, with what the model states; where nobody knows that, with mean 0, variance 1 and epsilon 0. Import makes
// the same operators of it again. `node` is the sum's. Gives the result's name.
std::string write_batch_normalization(NodeWriter& node, const std::string& x, const Node& product);

}  // namespace nestrt::compiler
