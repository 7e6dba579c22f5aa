// SPDX-License-Identifier: Apache-2.0
// Queries on power-of-two scales and on the largest sums of s8 products.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Returns e if the scale is 2^-e and e is a valid exponent of a tensor.
std::optional<int> exponent_of_scale(float scale);

// Returns the exponent of an s8 value that has one scale, a power of two, and the zero point 0.
std::optional<int> power_of_two_exponent(const Value& value);

// Returns the exponents of s8 weights, a single one or one per output channel; empty unless all scales are powers of
// two.
std::vector<int8_t> power_of_two_exponents(const Value& weights);

// Returns, for each output channel, the largest magnitude of a sum of products with s8 inputs plus the magnitude of the
// bias. Requires: a product with s8 weights.
std::vector<int64_t> largest_sums(const Graph& graph, const Node& node);

}  // namespace nestrt::compiler
