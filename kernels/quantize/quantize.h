// Quantize: f32 to integers as the output's tensor says: s8 with an exponent, rounded as the attributes say; or s8 or
// u8 with scales and zero points, of the tensor or of each index of an axis, rounded to nearest even. Results are
// clipped. Layouts of input and output are the same, and blocked ones have one scale; a plain image of few channels
// may also become a blocked16 or folded one with an exponent.
#pragma once

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_quantize_reference(const OperatorSpec& spec);
// s8 with one exponent or scale, any layout.
Result<std::unique_ptr<Kernel>> prepare_quantize_simd(const OperatorSpec& spec);
// Plain images into what ImageFold writes.
Result<std::unique_ptr<Kernel>> prepare_quantize_folded(const OperatorSpec& spec);

}  // namespace nestrt::kernels
