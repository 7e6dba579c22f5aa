// SPDX-License-Identifier: Apache-2.0
// Quantize: f32 to integers with the output's quantization: s8 with an exponent, rounded as the attributes specify; or
// s8 or u8 with scales and zero points, of the tensor or of each index of an axis, rounded to nearest even. Results are
// clipped. Input and output have the same layout, and blocked tensors have one scale. With an exponent, a plain image
// of few channels may also become blocked16 or folded.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_quantize_reference(const OperatorSpec& spec);
// Accepts s8 with one exponent or scale, in any layout.
Result<std::unique_ptr<Kernel>> prepare_quantize_simd(const OperatorSpec& spec);
// Converts plain images to the layouts that ImageFold writes.
Result<std::unique_ptr<Kernel>> prepare_quantize_folded(const OperatorSpec& spec);

}  // namespace nestrt::kernels
