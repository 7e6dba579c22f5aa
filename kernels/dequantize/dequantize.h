// SPDX-License-Identifier: Apache-2.0
// Dequantize: integers to f32 with the input's quantization: s8 with an exponent, exactly; or s8, u8 or s32 with scales
// and zero points, of the tensor or of each index of an axis. Input and output have the same layout; blocked tensors
// have one scale.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_dequantize_reference(const OperatorSpec& spec);
// Accepts any layout.
Result<std::unique_ptr<Kernel>> prepare_dequantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
