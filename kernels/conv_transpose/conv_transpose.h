// SPDX-License-Identifier: Apache-2.0
// Transposed convolution over 1, 2 or 3 spatial axes: y = activation(conv_transpose(x) + bias + residual).
//
// Variants, and the layouts and weights each accepts (input -> output; a residual has the layout of the output):
//   conv_transpose.f32.reference    plain -> plain          any weights
//   conv_transpose.f32.gemm         plain -> plain          any weights; the inputs of one output fit in 16 MB
//   conv_transpose.f32.direct16     blocked16 -> blocked16  constant weights and bias; group 1 and outputs that fill at
//                                                           least half of their blocks, or channels per group (in and
//                                                           out) multiples of 16
//   conv_transpose.f32.depthwise16  blocked16 -> blocked16  constant weights and bias; group = inputs = outputs
// Plans do not contain packed weights; prepare() sorts constant weights.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// The variants. The reference accepts any operator that satisfies is_plain().
bool accepts_conv_transpose_depthwise16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_transpose_depthwise16(const OperatorSpec& spec);
bool accepts_conv_transpose_direct16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_transpose_direct16(const OperatorSpec& spec);
bool accepts_conv_transpose_gemm(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_transpose_gemm(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_transpose_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
