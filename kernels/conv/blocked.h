// SPDX-License-Identifier: Apache-2.0
// Conditions and constants shared by the convolutions with blocked16 output.
#pragma once

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/gemm_s8/s8_product.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Returns whether all operands have the layouts that these kernels need (`input` for x, blocked16 for output and
// residual), weights and bias are constant, and the weights can be converted to `packing`.
bool accepts_blocked(const OperatorSpec& spec, Layout input, Packing packing);

// Does the same for s8 operands, whose weights and bias are always constant.
bool accepts_s8_blocked(const OperatorSpec& spec, Layout input, Packing packing);

// Returns whether the activation only bounds the outputs: none, relu or clip.
bool has_bounds(const OperatorSpec& spec);

// Prepares the weights and epilogue of an s8 convolution. `block_bytes`: the size of the weights for 16 outputs in
// `packing`. Errors: kInvalidModel, kInvalidPlan, kOutOfMemory.
Result<S8Product> make_s8_conv(const OperatorSpec& spec, const ConvGeometry& geometry, Packing packing,
                               int64_t block_bytes, S8Product::Multiplier multiplier = S8Product::Multiplier::kTile);

struct BlockedConv {
  ConvGeometry geometry;
  Activation activation;
  PackedConstant weights;
  AlignedFloats bias;  // padded, or null
  // Set by prepare(), so that a kernel stays on one instruction set.
  Tile16Function tile = nullptr;
  TileLimits limits;

  int64_t out_blocks() const { return ceil_div(geometry.out_channels, kTileBlock); }
  int64_t in_blocks() const { return ceil_div(geometry.in_channels, kTileBlock); }
  const float* block_bias(int64_t block) const {
    return bias.data() == nullptr ? nullptr : bias.data() + block * kTileBlock;
  }
};

// Errors: kInvalidModel, kInvalidPlan, kOutOfMemory.
Result<BlockedConv> make_blocked_conv(const OperatorSpec& spec, Packing packing);

// Returns the residual of a call, or null.
inline const float* residual_of(const KernelCall& call) {
  return call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
}

}  // namespace nestrt::kernels
