// SPDX-License-Identifier: Apache-2.0
// Requantize: integers to integers of another quantization: s8 to s8 of another exponent, rounded as the attributes
// specify; or, with scales, from s8 or u8 to s8 or u8 through f32, with an optional activation. Results are clipped.
// Input and output have the same layout.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec);
// Accepts any layout.
Result<std::unique_ptr<Kernel>> prepare_requantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
