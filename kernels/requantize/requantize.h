// Requantize: integers to integers of another quantization: s8 to s8 of another exponent, rounded as the attributes
// say; or, with scales, from s8 or u8 to s8 or u8 through f32, with an activation in between. Results are clipped.
// Layouts of input and output are the same.
#pragma once

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec);
// Any layout.
Result<std::unique_ptr<Kernel>> prepare_requantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
