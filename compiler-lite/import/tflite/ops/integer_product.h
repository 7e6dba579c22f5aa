// SPDX-License-Identifier: Apache-2.0
// Products of matrices of int8 or uint8 that are both known only at run time, or whose sums must be exact.
#pragma once

#include "compiler-lite/import/tflite/lite_node.h"

namespace nestrt::compiler {

// An operand of a product: integers of one scale.
struct IntegerFactor {
  ValueId elements;
  ValueId zero_point;
  ValueId scale;
};

// Returns true if the input consists of integers with one scale.
Result<bool> is_integer_factor(LiteNode& node, size_t index);

// Returns an input as an operand. `transposed`: with its last two axes exchanged. Requires: is_integer_factor().
Result<IntegerFactor> integer_factor(LiteNode& node, size_t index, bool transposed);

// Returns the product as real numbers: exact sums, multiplied once by the scales.
Result<ValueId> integer_product(LiteNode& node, const IntegerFactor& a, const IntegerFactor& b);

// Returns a matrix, or several, with the last two axes exchanged if `transposed`.
Result<ValueId> adjoint(LiteNode& node, ValueId id, bool transposed);

}  // namespace nestrt::compiler
