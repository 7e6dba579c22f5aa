#include "kernels/common/s8_product.h"

#include <algorithm>

#include "kernels/common/integers.h"

namespace nestrt::kernels {

Result<S8Product> S8Product::make(PackedBytes weights, int64_t outputs, int64_t block_bytes, const int32_t* bias,
                                  const s8::Epilogue& epilogue, Multiplier multiplier) {
  S8Product product;
  const int64_t blocks = ceil_div(outputs, kTileBlock);
  product.tile_ = s8_tile_kernel({weights.data(), static_cast<size_t>(blocks * block_bytes)});
  product.weights_ = std::move(weights);
  product.block_bytes_ = block_bytes;
  NESTRT_ASSIGN_OR_RETURN(product.outputs_, S8Outputs::make(outputs, bias, epilogue));
  std::fill(std::begin(product.padding_), std::end(product.padding_), product.outputs_.input_zero());
  const int32_t input_offset = multiplier == Multiplier::kTile ? product.tile_.input_offset : 0;
  const int32_t offset = input_offset + product.outputs_.input_zero();
  if (offset != 0) product.subtract(static_cast<uint32_t>(offset), blocks);
  return product;
}

// The tile adds up the weights itself: to inputs that become ones.
void S8Product::subtract(uint32_t offset, int64_t blocks) {
  int8_t ones[kS8Grain];
  std::fill(ones, ones + kS8Grain, static_cast<int8_t>(1 - tile_.input_offset));
  const int64_t first = 0;
  const int32_t zeros[kTileBlock] = {};
  int32_t sums[kTileBlock];
  S8Tile tile;
  tile.points = tile.blocks = tile.segments = 1;
  tile.input = ones;
  tile.offsets = &first;
  tile.length = kS8Grain;
  tile.chunks = block_bytes_ / (kS8Grain * kTileBlock);
  tile.start = zeros;
  tile.sums = sums;
  for (int64_t block = 0; block < blocks; ++block) {
    tile.weights = weights_.data() + block * block_bytes_;
    tile_.run(tile);
    int32_t* start = outputs_.start(block);
    for (int64_t i = 0; i < kTileBlock; ++i)
      start[i] = static_cast<int32_t>(static_cast<uint32_t>(start[i]) - offset * static_cast<uint32_t>(sums[i]));
  }
}

void S8Product::run(int64_t first_block, S8Tile& tile, S8Finish& finish) const {
  alignas(64) int32_t sums[kMaxS8TileSums];
  tile.weights = weights_.data() + first_block * block_bytes_;
  tile.weights_stride = block_bytes_;
  tile.padding = padding_;
  tile.start = outputs_.start(first_block);
  tile.sums = sums;
  tile_.run(tile);
  finish.sums = sums;
  finish.points = tile.points;
  finish.blocks = tile.blocks;
  outputs_.run(first_block, finish);
}

}  // namespace nestrt::kernels
