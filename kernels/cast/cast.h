// SPDX-License-Identifier: Apache-2.0
// Cast: converts to another element type (ops::Cast::to). Casts to narrower integers wrap. Casts of f32 to integers
// truncate towards zero and saturate; NaN gives 0. Casts to boolean map every value except zero to true. Quantized
// tensors cannot be cast.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Vectorized; supports casts from and to f32, and between booleans, s32 and s64.
bool accepts_cast_simd(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_cast_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
