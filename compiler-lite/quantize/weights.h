// Weights and biases of products (passes/product.h) as integers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// The largest exponent with which a magnitude still fits s8; empty for 0, which fits every one.
std::optional<int> largest_exponent(float magnitude);

struct QuantizedProduct {
  std::vector<int8_t> weights;  // as the f32 ones lie
  std::vector<int> exponents;   // by output channel, or one
  std::vector<int32_t> bias;    // by output channel; of exponent input + weights; empty where there is nothing to add
};

struct ProductExponents {
  int input = 0;
  std::optional<int> output;  // empty for a wide output
};

struct WeightOptions {
  bool per_channel = true;
  bool least_squares = false;          // exponents by squared error, so that outliers may clip; else by range
  std::span<const float> input_means;  // by input channel, to correct the bias with; empty: no correction
};

// Empty where no exponents keep shifts within their limits and accumulators within int32, whatever the input.
// Means of another number than there are input channels are not used.
// Requires: a product that has_constant_operands().
std::optional<QuantizedProduct> quantize_product(const Graph& graph, const Node& node, const ProductExponents& around,
                                                 const WeightOptions& options);

}  // namespace nestrt::compiler
