#include "kernels/common/s8_product.h"

#include <algorithm>

namespace nestrt::kernels {

Result<S8Product> S8Product::make(PackedBytes weights, int64_t outputs, int64_t block_bytes, const int32_t* bias,
                                  const s8::Epilogue& epilogue) {
  S8Product product;
  const int64_t blocks = (outputs + kTileBlock - 1) / kTileBlock;
  const int8_t* end = weights.data() + blocks * block_bytes;
  product.tile_ = s8_tile_kernel(std::find(weights.data(), end, int8_t{-128}) != end);
  product.weights_ = std::move(weights);
  product.block_bytes_ = block_bytes;
  NESTRT_ASSIGN_OR_RETURN(product.outputs_, S8Outputs::make(outputs, bias, epilogue));
  std::fill(std::begin(product.padding_), std::end(product.padding_), product.outputs_.input_zero());
  if (product.tile_.input_offset + product.outputs_.input_zero() != 0) product.subtract_offset(blocks);
  return product;
}

void S8Product::subtract_offset(int64_t blocks) {
  const auto offset = static_cast<uint32_t>(tile_.input_offset + outputs_.input_zero());
  const int8_t* weights = weights_.data();
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t i = 0; i < block_bytes_; ++i, ++weights) {
      int32_t& start = outputs_.start(block)[i / 4 % kTileBlock];
      start = static_cast<int32_t>(static_cast<uint32_t>(start) - offset * static_cast<uint32_t>(int32_t{*weights}));
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
