// SPDX-License-Identifier: Apache-2.0
// Requantize: converts integers to a different quantization. s8 is converted to s8 with another exponent, rounded as
// the attributes specify. With scales, s8 or u8 is converted to s8 or u8 through f32, with an optional activation.
// Results are clipped. Input and output have the same layout.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec);
// Accepts any layout.
Result<std::unique_ptr<Kernel>> prepare_requantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
