// Dequantize: integers to f32 as the input's tensor says: s8 with an exponent, exactly; or s8, u8 or s32 with scales
// and zero points, of the tensor or of each index of an axis. Layouts of input and output are the same; blocked ones
// have one scale.
#pragma once

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_dequantize_reference(const OperatorSpec& spec);
// Any layout.
Result<std::unique_ptr<Kernel>> prepare_dequantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
