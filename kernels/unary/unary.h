// Unary: one function of each element. Attributes: ops::Unary. Input and output have the same shape.
//   f32           every kind but logical_not; is_nan and is_inf give boolean
//   s8 u8 s32 s64 relu, clip, abs, neg, sign; results wrap, the bounds of clip saturate
//   s8, quantized relu, clip; as docs/numerics.md says
//   boolean       logical_not
#pragma once

#include "kernels/common/quantization/s8_arithmetic.h"
#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// The definition of an f32 kind; alpha and beta as ops::Unary says. Null for kinds that do not map f32 to f32.
using UnaryFunction = float (*)(float x, float alpha, float beta);
UnaryFunction unary_function(ops::UnaryKind kind);

bool accepts_unary_reference(const OperatorSpec& spec);
// Any layout, as long as input and output agree: every stored element is mapped, padding lanes included.
Result<std::unique_ptr<Kernel>> prepare_unary_reference(const OperatorSpec& spec);

// Vectors, for the kinds that networks spend time in; any layout, as above.
bool accepts_unary_simd(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_unary_simd(const OperatorSpec& spec);

// The limits of a relu or clip of a quantized s8 tensor.
Result<s8::Bounds> unary_s8_bounds(const OperatorSpec& spec);
// Such a relu or clip in vectors; any layout, as above.
bool accepts_unary_s8_bounds(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_unary_s8_bounds(const OperatorSpec& spec);

}  // namespace nestrt::kernels
