// Constant s8 weights, made ready for the s8 tile, and what makes outputs of its sums: the state that s8 convolutions
// and dense layers share.
#pragma once

#include "kernels/common/packed_constant.h"
#include "kernels/common/s8_outputs.h"
#include "kernels/common/s8_tile.h"

namespace nestrt::kernels {

class S8Product {
 public:
  // Who adds to outputs().start(): run(), or the caller, who multiplies signed bytes.
  enum class Multiplier { kTile, kCaller };

  S8Product() = default;
  // `weights` hold block_bytes for each block of 16 `outputs`, in the order that kernels/common/s8_tile.h states.
  // Errors: kOutOfMemory.
  static Result<S8Product> make(PackedBytes weights, int64_t outputs, int64_t block_bytes, const int32_t* bias,
                                const s8::Epilogue& epilogue, Multiplier multiplier = Multiplier::kTile);

  const TileLimits& limits() const { return tile_.limits; }
  bool repacked() const { return weights_.repacked(); }
  const S8Outputs& outputs() const { return outputs_; }
  const int8_t* weights(int64_t block) const { return weights_.data() + block * block_bytes_; }
  int64_t block_bytes() const { return block_bytes_; }

  // Computes tile.points x tile.blocks outputs from `first_block` on. The caller says where the tile reads and the
  // finish writes; weights, sums and scales are set here.
  void run(int64_t first_block, S8Tile& tile, S8Finish& finish) const;

 private:
  void subtract(uint32_t offset, int64_t blocks);

  S8TileKernel tile_;  // fixed by make(), so that a kernel stays on one instruction set
  PackedBytes weights_;
  int64_t block_bytes_ = 0;
  S8Outputs outputs_;
  int8_t padding_[kTileBlock] = {};
};

// The bias of a spec, operand 2; null where there is none.
inline const int32_t* s8_bias(const OperatorSpec& spec) {
  return spec.has_input(2) ? reinterpret_cast<const int32_t*>(spec.inputs[2].constant) : nullptr;
}

}  // namespace nestrt::kernels
