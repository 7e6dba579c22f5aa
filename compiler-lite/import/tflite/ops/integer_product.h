// SPDX-License-Identifier: Apache-2.0
// Computes products of int8 or uint8 matrices if both are known only at run time, or if the sums must be exact.
#pragma once

#include "compiler-lite/import/tflite/lite_node.h"

namespace nestrt::compiler {

// An operand of a product: integers with one scale.
struct IntegerFactor {
  ValueId elements;
  ValueId zero_point;
  ValueId scale;
};

// Returns true if the input consists of integers with one scale.
Result<bool> is_integer_factor(LiteNode& node, size_t index);

// Returns an input as an operand. `transposed`: exchanges its last two axes. Requires: is_integer_factor().
Result<IntegerFactor> integer_factor(LiteNode& node, size_t index, bool transposed);

// Returns the product as real numbers: exact integer sums times the product of the scales.
Result<ValueId> integer_product(LiteNode& node, const IntegerFactor& a, const IntegerFactor& b);

// Returns one or several matrices, with the last two axes exchanged if `transposed` is true.
Result<ValueId> adjoint(LiteNode& node, ValueId id, bool transposed);

}  // namespace nestrt::compiler
