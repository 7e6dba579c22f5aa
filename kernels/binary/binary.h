// SPDX-License-Identifier: Apache-2.0
// Binary: one function of two elements, with operands broadcast as in numpy. Attributes: ops::Binary; an activation
// requires an f32 or s8 output. Both operands have the same type.
//   f32      arithmetic, comparisons
//   s32 s64  arithmetic and comparisons; overflow wraps; division truncates; dividing by zero gives 0; mod has the
//            sign of the divisor, fmod that of the dividend; pow of a negative exponent truncates towards zero;
//            bitwise kinds; a negative or too large shift count shifts all bits out
//   s8       add, as in docs/concepts/numerics.md
//   boolean  equal and the logical kinds; every byte except 0 is true
// min and max give NaN if either operand is NaN.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

bool accepts_binary_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_reference(const OperatorSpec& spec);

// f32 arithmetic except pow, plain tensors, any broadcasting.
bool accepts_binary_runs(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_runs(const OperatorSpec& spec);

// The same with a blocked output. Each operand has the output's shape and layout, or is blocked with one pixel ([N or
// 1, C, 1, 1]: squeeze and excitation), or is a plain constant with one value per channel, or is one element.
bool accepts_binary_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_blocked(const OperatorSpec& spec);

// s8, operands with the output's shape and layout.
bool accepts_binary_s8_add(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_s8_add(const OperatorSpec& spec);

}  // namespace nestrt::kernels
