// SPDX-License-Identifier: Apache-2.0
// Convolution over 1, 2 or 3 spatial axes: y = activation(conv(x) + bias + residual). See ops::Conv for the operands.
//
// Variants, and the layouts and weights each accepts (input -> output; a residual has the layout of the output):
//   conv.f32.reference    plain -> plain          any weights, packing none
//   conv.f32.gemm         plain -> plain          any weights, packing none; the inputs of one output fit in 16 MB
//   conv.f32.gemm.narrow  as conv.f32.gemm        few output channels, which would fill a small part of a block
//   conv.f32.direct16     blocked16 -> blocked16  constant weights and bias; group 1, or channels per group (in and
//                                                 out) multiples of 16; packing o16i16
//   conv.f32.winograd16   blocked16 -> blocked16  with NEON: constant weights and bias; group 1; 3 x 3, stride and
//                         dilation 1; activation none, relu or clip; if faster; packing winograd16
//   conv.f32.winograd16.wide
//                         as conv.f32.winograd16  with AVX2 or AVX-512; any activation
//   conv.f32.winograd16.two, conv.f32.winograd16.strided
//                         the same                stride 1 for maps of few tiles, stride 2; packing winograd16_two,
//                                                 winograd16_strided
//   conv.f32.stem16       plain -> blocked16      constant weights and bias; group 1; at most kStemChannels inputs, no
//                                                 dilation along the last axis; packing stem16
//   conv.f32.stem16.winograd
//                         as conv.f32.stem16      with NEON: 3 or 4 inputs, kernels of about 7 x 7 with stride 2;
//                                                 activation none, relu or clip
//   conv.f32.depthwise16  blocked16 -> blocked16  constant weights and bias; group = inputs = outputs; depthwise16
//   conv.s8.reference     plain -> plain          s8 as in docs/concepts/numerics.md; constant weights
//                                                 and bias, packing none
//   conv.s8.gather        plain -> plain          the same s8
//   conv.s8.direct16, conv.s8.stem16, conv.s8.depthwise16
//                         as those of f32         the same s8; packing s8_o16i4, s8_stem, s8_depthwise16. The stem
//                                                 also supports images in blocked16 and folded layouts (S8Unfold)
//   conv.s8.direct16.dot4, conv.s8.direct16.vnni
//                         as conv.s8.direct16     with the dot products of NEON or AVX-512 VNNI, which are faster than
//                                                 Winograd's algorithm
//   conv.s8.winograd16    as conv.f32.winograd16  the same s8, all its activations; channels a multiple of 4; packing
//                                                 s8_winograd16
//   conv.s8.winograd16.wide
//                         as conv.s8.winograd16   with AVX2 or AVX-512; packing s8_o16i4, transformed by prepare()
//   conv.s8.depthwise16.dot4
//                         as conv.s8.depthwise16  with AVX-512 VNNI; no dilation along the last axis
//   conv.s8.amx16         as conv.s8.direct16     with AMX; two spatial axes, no dilation; 1 x 1 without padding, or
//                                                 padding less than the kernel and tiles that fit a cache
// If the plan does not contain packed weights, prepare() packs them.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

inline constexpr int64_t kStemChannels = 8;

// The variants.
bool accepts_conv_plain_f32(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_reference(const OperatorSpec& spec);
bool accepts_conv_gemm(const OperatorSpec& spec);
bool accepts_conv_gemm_narrow(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_gemm(const OperatorSpec& spec);
bool accepts_conv_direct16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_direct16(const OperatorSpec& spec);
bool accepts_conv_winograd16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16(const OperatorSpec& spec);
bool accepts_conv_winograd16_two(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16_two(const OperatorSpec& spec);
bool accepts_conv_winograd16_strided(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16_strided(const OperatorSpec& spec);
bool accepts_conv_stem16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_stem16(const OperatorSpec& spec);
bool accepts_conv_stem_winograd16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_stem_winograd16(const OperatorSpec& spec);
bool accepts_conv_depthwise16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_depthwise16(const OperatorSpec& spec);
bool accepts_conv_s8_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_reference(const OperatorSpec& spec);
bool accepts_conv_s8_direct16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_direct16(const OperatorSpec& spec);
bool accepts_conv_winograd16_wide(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16_wide(const OperatorSpec& spec);
bool accepts_conv_s8_amx16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_amx16(const OperatorSpec& spec);
bool accepts_conv_s8_winograd16(const OperatorSpec& spec);
bool accepts_conv_s8_winograd16_wide(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_winograd16(const OperatorSpec& spec);
bool accepts_conv_s8_gather(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_gather(const OperatorSpec& spec);
bool accepts_conv_s8_stem16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_stem16(const OperatorSpec& spec);
bool accepts_conv_s8_depthwise16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_depthwise16(const OperatorSpec& spec);
bool accepts_conv_s8_depthwise16_dot4(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_s8_depthwise16_dot4(const OperatorSpec& spec);

}  // namespace nestrt::kernels
