// SPDX-License-Identifier: Apache-2.0
// Binary: an elementwise function of two operands. Operands are broadcast as in NumPy. Attributes: ops::Binary; an
// activation requires an f32 or s8 output. Both operands have the same type.
//   f32      arithmetic, comparisons
//   s32 s64  arithmetic and comparisons; overflow wraps; division truncates; division by zero gives 0; mod has the
//            sign of the divisor, fmod that of the dividend; pow with a negative exponent truncates towards zero;
//            bitwise kinds; a shift count that is negative or too large shifts all bits out
//   s8       add, and for tensors with scales also sub, mul, min, max and prelu, as in docs/concepts/numerics.md
//   boolean  equal and the logical kinds; every byte except 0 is true
// min and max return NaN if either operand is NaN.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

bool accepts_binary_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_reference(const OperatorSpec& spec);

// Supports f32 arithmetic except pow, on plain tensors with any broadcasting.
bool accepts_binary_runs(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_runs(const OperatorSpec& spec);

// Supports f32 pow, mod and fmod on plain tensors. Powers of constant exponents such as 2 and 0.5 need no logarithms.
bool accepts_binary_functions(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_functions(const OperatorSpec& spec);

// Supports comparisons, logic, and integer sums, products, minima, maxima and bitwise kinds on plain tensors.
bool accepts_binary_elements(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_elements(const OperatorSpec& spec);

// Supports the same kinds as binary_runs, with a blocked output. Each operand is one of: a tensor with the shape and
// layout of the output; a blocked tensor with one pixel ([N or 1, C, 1, 1]: squeeze and excitation); a plain constant
// with one value per channel; a single element.
bool accepts_binary_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_blocked(const OperatorSpec& spec);

// Supports s8 additions, and subtractions of tensors with scales, if the operands have the shape and layout of the
// output.
bool accepts_binary_s8_add(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_s8_add(const OperatorSpec& spec);

// Supports s8 tensors with scales: plain tensors with any broadcasting, and the blocked16 operands of binary_blocked.
bool accepts_binary_s8_scaled(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_s8_scaled(const OperatorSpec& spec);

}  // namespace nestrt::kernels
