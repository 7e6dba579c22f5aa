// SPDX-License-Identifier: Apache-2.0
// Constant s8 weights prepared for the s8 tile, and the epilogue for its sums: the state shared by s8 convolutions and
// dense layers.
#pragma once

#include "kernels/common/gemm_s8/s8_outputs.h"
#include "kernels/common/gemm_s8/s8_tile.h"
#include "kernels/common/packing/packed_constant.h"

namespace nestrt::kernels {

// The segments of the input that a tile reads for one output.
enum class S8Segments {
  kMany,    // any number of segments, which may contain padding
  kTaps,    // like kMany, with segments of 16 bytes; the caller of run() may centre the inputs
  kPixels,  // one segment of 16 bytes per chunk, no padding
  kOne,     // one segment of block_bytes() / 16 bytes, the length of the weights or slightly more
};

class S8Product {
 public:
  // What is known about the inputs. kAny: nothing. kNotNegative: no input is negative. kCentred: no input was negative
  // before the caller subtracted centre() from each.
  enum class Inputs { kAny, kNotNegative, kCentred };
  // Whether run() or the caller computes the products. A caller multiplies signed bytes and adds the products to
  // outputs().start().
  enum class Multiplier { kTile, kCaller };

  S8Product() = default;
  // `weights` has `block_bytes` bytes per block of 16 outputs, in the order defined in
  // kernels/common/gemm_s8/s8_tile.h. Errors: kOutOfMemory.
  static Result<S8Product> make(PackedBytes weights, int64_t outputs, int64_t block_bytes, const int32_t* bias,
                                const s8::Epilogue& epilogue, S8Segments segments = S8Segments::kMany,
                                Multiplier multiplier = Multiplier::kTile);

  const TileLimits& limits() const { return tile_.limits; }
  bool repacked() const { return weights_.repacked(); }
  // Returns the bytes of weights per block. This is larger than the value passed to make() if weights are padded with
  // zeros.
  int64_t block_bytes() const { return block_bytes_; }
  const S8Outputs& outputs() const { return outputs_; }
  const int8_t* weights(int64_t block) const { return weights() + block * block_bytes_; }

  // Returns the value that the caller subtracts from inputs for kCentred. Requires: can_centre().
  int32_t centre() const { return tile_.chains->centre; }
  // Returns whether run() is faster if it knows that no input is negative.
  bool can_centre() const { return centred_start_.data() != nullptr; }
  // Returns whether run() also supports kNotNegative.
  bool centres_pixels() const { return can_centre() && (!padded_ || tile_.chains->centre == 0); }
  // Computes tile.points x tile.blocks outputs starting at `first_block`. Any number of points is allowed if chunks
  // have one segment. The caller sets the input of the tile and the addresses in `finish`; this function sets weights,
  // sums and scales. If it splits the points into parts, both structs refer to the last part afterwards. `inputs`:
  // kNotNegative requires centres_pixels(), kCentred requires can_centre().
  void run(int64_t first_block, S8Tile& tile, S8Finish& finish, Inputs inputs = Inputs::kAny) const;

 private:
  bool finishes(const S8Tile& tile, const S8Finish& finish) const;
  const int8_t* weights_to_prefetch(int64_t first_block, const S8Tile& tile) const;
  void run_part(int64_t first_block, S8Tile& tile, S8Finish& finish) const;
  void subtract(uint32_t offset, int64_t blocks);
  void sum_weights(int64_t block, int32_t* sums) const;
  Status widen(int64_t blocks);
  Status pair_weights(int64_t blocks);
  Status find_chains(int64_t blocks, bool can_centre);

  S8TileKernel tile_;  // fixed by make(), so that a kernel stays on one instruction set
  const int8_t* weights() const { return own_weights_.data() != nullptr ? own_weights_.data() : weights_.data(); }

  PackedBytes weights_;
  AlignedArray<int8_t> own_weights_;  // weights padded to whole steps of chains, or paired, if the tile needs it
  int64_t block_bytes_ = 0;
  int64_t blocks_ = 0;
  AlignedArray<uint8_t> chains_;  // null if the tile does not use chains for any inputs
  AlignedArray<uint8_t> centred_chains_;
  AlignedArray<int32_t> centred_start_;  // null if can_centre() is false
  S8Outputs outputs_;
  int8_t padding_[kTileBlock] = {}, centred_padding_[kTileBlock] = {};
  bool padded_ = true;
};

// Returns the bias of an operator (input 2), or null.
inline const int32_t* s8_bias(const OperatorSpec& spec) {
  return spec.has_input(2) ? reinterpret_cast<const int32_t*>(spec.inputs[2].constant) : nullptr;
}

}  // namespace nestrt::kernels
