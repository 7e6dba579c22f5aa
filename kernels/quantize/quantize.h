// SPDX-License-Identifier: Apache-2.0
// Quantize: converts f32 to integers using the quantization of the output. With an exponent, s8 is rounded as the
// attributes specify. With scales and zero points, per tensor or per index of an axis, s8 or u8 is rounded to nearest
// even. Results are clamped. Input and output have the same layout, and blocked tensors have a single scale. With an
// exponent, the output may also be blocked16 or folded if the input is a plain image with few channels.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_quantize_reference(const OperatorSpec& spec);
// Accepts s8 with one exponent or scale, in any layout.
Result<std::unique_ptr<Kernel>> prepare_quantize_simd(const OperatorSpec& spec);
// Converts plain images to the layouts that ImageFold supports.
Result<std::unique_ptr<Kernel>> prepare_quantize_folded(const OperatorSpec& spec);

}  // namespace nestrt::kernels
