// SPDX-License-Identifier: Apache-2.0
// Computes rows of conv.s8.stem16 with AMX tiles. Points are outputs of a row, whose contiguous inputs are split into
// steps of equal size.
#include <algorithm>
#include <cstring>

#include "hwy/base.h"
#include "kernels/common/gemm_s8/s8_amx.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/simd/simd.h"
#include "kernels/conv/s8/conv_s8_stem16.h"

#if !HWY_ARCH_X86
namespace nestrt::kernels {

bool supports_s8_stem_tiles(const ConvGeometry&) { return false; }

Result<std::unique_ptr<S8StemRows>> make_s8_stem_tiles(const ConvGeometry&, const S8Product&) {
  return Status(Code::kUnsupported, "AMX tiles require x86-64");
}

}  // namespace nestrt::kernels
#else
namespace nestrt::kernels {
namespace {

constexpr int64_t kMaxSteps = 64;

class Tiles final : public S8StemRows {
 public:
  Tiles(const ConvGeometry& geometry, int64_t segment, int64_t steps)
      : out_blocks_(ceil_div(geometry.out_channels, kTileBlock)),
        width_(geometry.axes[2].output),
        num_tiles_(ceil_div(width_, kAmxPoints)),
        num_steps_(steps),
        depth_(ceil_div(segment / 4, steps) * 4),
        block_bytes_(steps * depth_ * kTileBlock),
        shape_(amx_shape(ceil_div(width_, num_tiles_), depth_)),
        weights_(out_blocks_ * block_bytes_) {
    for (int64_t i = 0; i < steps; ++i) steps_[i] = i * depth_;
  }

  // Returns false if out of memory. Weights past the reduction are set to zero.
  bool set_weights(const S8Product& product) {
    if (weights_.data() == nullptr) return false;
    for (int64_t block = 0; block < out_blocks_; ++block)
      std::memcpy(weights_.data() + block * block_bytes_, product.weights(block),
                  static_cast<size_t>(product.block_bytes()));
    return true;
  }

  int64_t slack(int64_t step) const override { return kAmxPoints * step + kAmxDepth; }
  void run(Range rows, FunctionRef<void(int64_t)> run_one) const override {
    const AmxUse use(shape_);
    for (int64_t row = rows.first; row < rows.last; ++row) run_one(row);
  }
  void run_row(const S8Product& product, const S8StemRow& row) const override;

 private:
  struct Sums {
    Range pixels[2];
    int64_t tiles, block, blocks;
    alignas(64) int32_t sums[2][kAmxPoints * 2 * kTileBlock];
  };
  void multiply(const S8Product& product, const S8StemRow& row, Sums& sums) const;
  void finish(const S8Product& product, const S8StemRow& row, const Sums& sums) const;

  int64_t out_blocks_, width_, num_tiles_;
  int64_t num_steps_, depth_, block_bytes_;
  AmxShape shape_;
  AlignedArray<int8_t> weights_;
  int64_t steps_[kMaxSteps];
};

// Finishes the sums of one pair of tiles while the tile registers compute the next pair.
void Tiles::run_row(const S8Product& product, const S8StemRow& row) const {
  Sums sums[2];
  int64_t runs = 0;
  for (int64_t tile = 0; tile < num_tiles_; tile += 2)
    for (int64_t block = 0; block < out_blocks_; block += 2, ++runs) {
      Sums& current = sums[runs % 2];
      current.tiles = std::min<int64_t>(2, num_tiles_ - tile);
      for (int64_t i = 0; i < current.tiles; ++i) current.pixels[i] = part_of(width_, tile + i, num_tiles_);
      current.block = block;
      current.blocks = std::min<int64_t>(2, out_blocks_ - block);
      multiply(product, row, current);
      if (runs > 0) finish(product, row, sums[(runs + 1) % 2]);
    }
  finish(product, row, sums[(runs + 1) % 2]);
}

void Tiles::multiply(const S8Product& product, const S8StemRow& row, Sums& sums) const {
  AmxTile tile;
  for (int64_t i = 0; i < sums.tiles; ++i) {
    tile.points[i] = row.columns + sums.pixels[i].first * row.step;
    tile.sums[i] = sums.sums[i];
  }
  tile.point_stride = row.step;
  tile.steps = steps_;
  tile.num_steps = num_steps_;
  tile.weights = weights_.data() + sums.block * block_bytes_;
  tile.weights_step = depth_ * kTileBlock;
  tile.weights_last = block_bytes_ - tile.weights_step;
  tile.weights_stride = block_bytes_;
  tile.blocks = sums.blocks;
  tile.start = product.outputs().start(sums.block);
  amx_run(tile);
}

void Tiles::finish(const S8Product& product, const S8StemRow& row, const Sums& sums) const {
  S8Finish finish;
  finish.blocks = sums.blocks;
  finish.point_stride = kTileBlock;
  finish.block_stride = row.block_stride;
  const int64_t first = row.at + sums.block * row.block_stride;
  for (int64_t i = 0; i < sums.tiles; ++i) {
    finish.points = sums.pixels[i].size();
    finish.sums = sums.sums[i];
    product.outputs().place(row.output, row.residual, first + sums.pixels[i].first * kTileBlock, finish);
    product.outputs().run(sums.block, finish);
  }
}

}  // namespace

bool supports_s8_stem_tiles(const ConvGeometry& geometry) {
  return current_instruction_set() == InstructionSet::kAvx512Amx && geometry.axes[2].output > 0 &&
         geometry.in_channels * geometry.taps() <= kMaxSteps * kAmxDepth;
}

Result<std::unique_ptr<S8StemRows>> make_s8_stem_tiles(const ConvGeometry& geometry, const S8Product& product) {
  const int64_t segment = product.block_bytes() / kTileBlock;
  auto tiles = std::make_unique<Tiles>(geometry, segment, ceil_div(segment, kAmxDepth));
  if (!tiles->set_weights(product)) return Status(Code::kOutOfMemory, "no memory for the weights of a Conv");
  return std::unique_ptr<S8StemRows>(std::move(tiles));
}

}  // namespace nestrt::kernels
#endif
