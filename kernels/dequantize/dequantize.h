// SPDX-License-Identifier: Apache-2.0
// Dequantize: converts integers to f32 using the quantization of the input. s8 with an exponent is converted exactly.
// s8, u8 and s32 may instead have scales and zero points, one per tensor or one per index of an axis. Input and output
// have the same layout; blocked tensors have a single scale.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_dequantize_reference(const OperatorSpec& spec);
// Accepts any layout.
Result<std::unique_ptr<Kernel>> prepare_dequantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
