// Binary: one function of two elements, operands broadcast as numpy does. Attributes: plan::Binary; an activation only
// where the output is f32. Both operands have one type.
//   f32      arithmetic (not mod: its sign rule is for integers), comparisons
//   s32 s64  arithmetic and comparisons; overflow wraps; division truncates; dividing by zero gives 0; mod takes the
//            sign of the divisor, fmod that of the dividend; pow of a negative exponent truncates towards zero
//   boolean  equal and the logical kinds; any byte but 0 is true
// min and max give NaN where either operand is NaN.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& binary_rules();

bool accepts_binary_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_binary_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
