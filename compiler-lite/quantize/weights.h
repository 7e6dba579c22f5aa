// SPDX-License-Identifier: Apache-2.0
// Integer weights and biases of products (passes/product.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Returns the largest exponent with which a magnitude fits s8; nullopt for 0, which fits any exponent.
std::optional<int> largest_exponent(float magnitude);

struct QuantizedProduct {
  std::vector<int8_t> weights;  // in the order of the f32 weights
  std::vector<int> exponents;   // by output channel, or a single one
  std::vector<int32_t> bias;    // by output channel, with exponent input + weights; empty if it is all zero
};

struct ProductExponents {
  int input = 0;
  std::optional<int> output;  // empty for a wide output
};

struct WeightOptions {
  bool per_channel = true;
  bool least_squares = false;  // choose exponents by squared error, which may clip outliers, instead of by range
  std::span<const float> input_means;  // by input channel, to correct the bias; empty disables the correction
};

// Returns nullopt if no exponents keep shifts within their limits and accumulators within int32 for every input.
// Ignores the means if their number differs from the number of input channels.
// Requires: a product that has_constant_operands().
std::optional<QuantizedProduct> quantize_product(const Graph& graph, const Node& node, const ProductExponents& around,
                                                 const WeightOptions& options);

}  // namespace nestrt::compiler
