// SPDX-License-Identifier: Apache-2.0
// Transposed convolution over 1, 2 or 3 spatial axes: y = activation(conv_transpose(x) + bias + residual).
//
// Variants: conv_transpose.f32.gemm, conv_transpose.f32.reference. Both accept plain tensors and unpacked weights,
// constant or not.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// The variants. The reference accepts is_plain().
bool accepts_conv_transpose_gemm(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_transpose_gemm(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_transpose_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
