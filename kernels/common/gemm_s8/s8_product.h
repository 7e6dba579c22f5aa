// Constant s8 weights, made ready for the s8 tile, and what makes outputs of its sums: the state that s8 convolutions
// and dense layers share.
#pragma once

#include "kernels/common/gemm_s8/s8_outputs.h"
#include "kernels/common/gemm_s8/s8_tile.h"
#include "kernels/common/packing/packed_constant.h"

namespace nestrt::kernels {

// What tiles read for an output.
enum class S8Segments {
  kMany,    // any number of segments, in which there may be padding
  kTaps,    // the same of 16 bytes, of which whoever calls run() may centre the inputs
  kPixels,  // one segment of 16 bytes in each chunk, no padding
  kOne,     // one of block_bytes() / 16 bytes, as many as the weights state or some more
};

class S8Product {
 public:
  // What is known of the inputs: that none is below 0, or that none was before the caller took kS8ChainCentre off all.
  enum class Inputs { kAny, kNotNegative, kCentred };
  // Who adds to outputs().start(): run(), or the caller, who multiplies signed bytes.
  enum class Multiplier { kTile, kCaller };

  S8Product() = default;
  // `weights` hold block_bytes for each block of 16 `outputs`, in the order that kernels/common/gemm_s8/s8_tile.h
  // states. Errors: kOutOfMemory.
  static Result<S8Product> make(PackedBytes weights, int64_t outputs, int64_t block_bytes, const int32_t* bias,
                                const s8::Epilogue& epilogue, S8Segments segments = S8Segments::kMany,
                                Multiplier multiplier = Multiplier::kTile);

  const TileLimits& limits() const { return tile_.limits; }
  bool repacked() const { return weights_.repacked(); }
  // Of weights; more than make() was told where there are zeros behind them.
  int64_t block_bytes() const { return block_bytes_; }
  const S8Outputs& outputs() const { return outputs_; }
  const int8_t* weights(int64_t block) const { return weights() + block * block_bytes_; }

  // Whether run() is quicker where it knows that no input is below 0.
  bool can_centre() const { return centred_start_.data() != nullptr; }
  // Whether it takes kNotNegative, too.
  bool centres_pixels() const { return can_centre() && !padded_; }
  // Computes tile.points x tile.blocks outputs from `first_block` on, of any number of points where chunks have one
  // segment. The caller says where the tile reads and the finish writes; weights, sums and scales are set here, and
  // where the points are cut into pieces, both are left at the last one.
  // `inputs`: kNotNegative requires centres_pixels(), kCentred can_centre().
  void run(int64_t first_block, S8Tile& tile, S8Finish& finish, Inputs inputs = Inputs::kAny) const;

 private:
  bool finishes(const S8Tile& tile, const S8Finish& finish) const;
  const int8_t* weights_ahead(int64_t first_block, const S8Tile& tile) const;
  void run_piece(int64_t first_block, S8Tile& tile, S8Finish& finish) const;
  void subtract(uint32_t offset, int64_t blocks);
  void sum_weights(int64_t block, int32_t* sums) const;
  Status widen(int64_t blocks);
  Status find_chains(int64_t blocks, bool can_centre);

  S8TileKernel tile_;  // fixed by make(), so that a kernel stays on one instruction set
  const int8_t* weights() const { return wide_weights_.data() != nullptr ? wide_weights_.data() : weights_.data(); }

  PackedBytes weights_;
  AlignedArray<int8_t> wide_weights_;  // these in whole steps of chains, where they are not
  int64_t block_bytes_ = 0;
  int64_t blocks_ = 0;
  AlignedArray<uint8_t> chains_;  // null where the tile does without
  AlignedArray<uint8_t> centred_chains_;
  AlignedArray<int32_t> centred_start_;  // null where can_centre() is false
  S8Outputs outputs_;
  int8_t padding_[kTileBlock] = {};
  bool padded_ = true;
};

// The bias of a spec, operand 2; null where there is none.
inline const int32_t* s8_bias(const OperatorSpec& spec) {
  return spec.has_input(2) ? reinterpret_cast<const int32_t*>(spec.inputs[2].constant) : nullptr;
}

}  // namespace nestrt::kernels
