// SPDX-License-Identifier: Apache-2.0
// Unary: applies one function to each element. Attributes: ops::Unary. Input and output have the same shape.
//   f32           every kind except logical_not and bitwise_not; is_nan and is_inf return boolean
//   s8 u8 s32 s64 relu, clip, abs, neg, sign, bitwise_not; results wrap, the bounds of clip saturate
//   s8, quantized relu, clip; as in docs/concepts/numerics.md
//   boolean       logical_not
#pragma once

#include "kernels/common/quantization/s8_arithmetic.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Returns the function that defines an f32 kind, with alpha and beta as in ops::Unary, or null if the kind does not map
// f32 to f32.
using UnaryFunction = float (*)(float x, float alpha, float beta);
UnaryFunction unary_function(ops::UnaryKind kind);

bool accepts_unary_reference(const OperatorSpec& spec);
// Supports any layout that input and output share, because it maps every stored element, including padding lanes.
Result<std::unique_ptr<Kernel>> prepare_unary_reference(const OperatorSpec& spec);

// Vectorized implementation of frequent kinds, in any layout as above.
bool accepts_unary_simd(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_unary_simd(const OperatorSpec& spec);

// Vectorized logarithm, trigonometric functions, and activations that use a logarithm, in any layout as above.
bool accepts_unary_functions(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_unary_functions(const OperatorSpec& spec);

// Vectorized s32 and s64 kinds.
bool accepts_unary_integers(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_unary_integers(const OperatorSpec& spec);

// Vectorized is_nan, is_inf and logical_not.
bool accepts_unary_tests(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_unary_tests(const OperatorSpec& spec);

// Returns the bounds that represent a relu or clip of a quantized s8 tensor.
Result<s8::Bounds> unary_s8_bounds(const OperatorSpec& spec);
// Vectorized relu or clip of s8, in any layout as above.
bool accepts_unary_s8_bounds(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_unary_s8_bounds(const OperatorSpec& spec);

}  // namespace nestrt::kernels
