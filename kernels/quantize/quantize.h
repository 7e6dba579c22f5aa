// SPDX-License-Identifier: Apache-2.0
// Quantize: converts f32 to integers using the quantization of the output. s8 with an exponent is rounded as the
// attributes specify. s8 or u8 with scales and zero points, per tensor or per index of an axis, is rounded to nearest
// even. Results are clipped. Input and output have the same layout, and blocked tensors have one scale. With an
// exponent, the output of a plain image with few channels may also be blocked16 or folded.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_quantize_reference(const OperatorSpec& spec);
// Accepts s8 with one exponent or scale, in any layout.
Result<std::unique_ptr<Kernel>> prepare_quantize_simd(const OperatorSpec& spec);
// Converts plain images to the layouts that ImageFold supports.
Result<std::unique_ptr<Kernel>> prepare_quantize_folded(const OperatorSpec& spec);

}  // namespace nestrt::kernels
