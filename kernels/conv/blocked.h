// What the convolutions that write blocked16 share: conditions and constants.
#pragma once

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/gemm_s8/s8_product.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// True where every operand has the layout that these kernels need (`input` for x, blocked16 for the output and the
// residual), weights and bias are constant, and the weights come in a packing that can be changed into `packing`.
bool accepts_blocked(const OperatorSpec& spec, Layout input, Packing packing);

// The same for s8 operands, whose weights and bias are always constant.
bool accepts_s8_blocked(const OperatorSpec& spec, Layout input, Packing packing);

// Whether its activation does no more than bound the outputs: none, relu or clip.
bool has_bounds(const OperatorSpec& spec);

// What an s8 convolution computes with the tile. `block_bytes` are the weights of 16 outputs in that packing.
// Errors: kInvalidModel, kInvalidPlan, kOutOfMemory.
Result<S8Product> make_s8_conv(const OperatorSpec& spec, const ConvGeometry& geometry, Packing packing,
                               int64_t block_bytes, S8Product::Multiplier multiplier = S8Product::Multiplier::kTile);

struct BlockedConv {
  ConvGeometry geometry;
  Activation activation;
  PackedConstant weights;
  AlignedFloats bias;  // padded; null where there is none
  // Fixed by prepare(), so that a kernel stays on one instruction set.
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

// The residual of a call; null where there is none.
inline const float* residual_of(const KernelCall& call) {
  return call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
}

}  // namespace nestrt::kernels
