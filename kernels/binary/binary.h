// Binary: one function of two elements, operands broadcast as numpy does. Attributes: ops::Binary; an activation only
// where the output is f32 or s8. Both operands have one type.
//   f32      arithmetic, comparisons
//   s32 s64  arithmetic and comparisons; overflow wraps; division truncates; dividing by zero gives 0; mod takes the
//            sign of the divisor, fmod that of the dividend; pow of a negative exponent truncates towards zero;
//            bitwise kinds; shifts by none of the type's bits (negative, or too far) shift all of them out
//   s8       add, as docs/numerics.md says
//   boolean  equal and the logical kinds; any byte but 0 is true
// min and max give NaN where either operand is NaN.
#pragma once

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

bool accepts_binary_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_reference(const OperatorSpec& spec);

// f32 arithmetic but pow, plain tensors, any broadcasting.
bool accepts_binary_runs(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_runs(const OperatorSpec& spec);

// The same into a blocked tensor; each operand has the output's shape and layout, or is blocked with one pixel
// ([N or 1, C, 1, 1]: squeeze and excitation), or is a plain constant with one value per channel, or is one element.
bool accepts_binary_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_blocked(const OperatorSpec& spec);

// s8, operands of the output's shape and layout.
bool accepts_binary_s8_add(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_s8_add(const OperatorSpec& spec);

}  // namespace nestrt::kernels
