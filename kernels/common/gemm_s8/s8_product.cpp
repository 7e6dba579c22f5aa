// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_s8/s8_product.h"

#include <algorithm>
#include <array>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_s8/s8_chains.h"
#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

namespace {

Status no_memory() { return {Code::kOutOfMemory, "no memory for the prepared weights"}; }

}  // namespace

Result<S8Product> S8Product::make(PackedBytes weights, int64_t outputs, int64_t block_bytes, const int32_t* bias,
                                  const s8::Epilogue& epilogue, S8Segments segments, Multiplier multiplier) {
  S8Product product;
  const int64_t blocks = ceil_div(outputs, kTileBlock);
  product.blocks_ = blocks;
  product.tile_ = s8_tile_kernel({weights.data(), static_cast<size_t>(blocks * block_bytes)});
  product.weights_ = std::move(weights);
  product.block_bytes_ = block_bytes;
  product.padded_ = segments == S8Segments::kMany || segments == S8Segments::kTaps;
  NESTRT_ASSIGN_OR_RETURN(product.outputs_, S8Outputs::make(outputs, bias, epilogue));
  std::fill(std::begin(product.padding_), std::end(product.padding_), product.outputs_.input_zero());
  const bool by_caller = multiplier == Multiplier::kCaller;
  if (!by_caller && product.tile_.pairs_weights) NESTRT_RETURN_IF_ERROR(product.pair_weights(blocks));
  const int32_t offset = (by_caller ? 0 : product.tile_.input_offset) + product.outputs_.input_zero();
  if (offset != 0) product.subtract(static_cast<uint32_t>(offset), blocks);
  if (by_caller || product.tile_.chains == nullptr || block_bytes == 0) return product;
  if (segments == S8Segments::kOne) NESTRT_RETURN_IF_ERROR(product.widen(blocks));
  const bool has_pixels = segments == S8Segments::kPixels || segments == S8Segments::kTaps;
  if (product.block_bytes_ % kS8ChainStepBytes == 0)
    NESTRT_RETURN_IF_ERROR(product.find_chains(blocks, has_pixels && !epilogue.scaled()));
  return product;
}

Status S8Product::widen(int64_t blocks) {
  const int64_t wide = round_up(block_bytes_, kS8ChainStepBytes);
  if (wide == block_bytes_) return {};
  own_weights_ = AlignedArray<int8_t>(blocks * wide);
  if (own_weights_.data() == nullptr) return no_memory();
  for (int64_t block = 0; block < blocks; ++block)
    std::copy_n(weights_.data() + block * block_bytes_, block_bytes_, own_weights_.data() + block * wide);
  block_bytes_ = wide;
  return {};
}

Status S8Product::pair_weights(int64_t blocks) {
  own_weights_ = AlignedArray<int8_t>(blocks * block_bytes_);
  if (own_weights_.data() == nullptr) return no_memory();
  pair_s8_weights(weights_.data(), blocks * block_bytes_, own_weights_.data());
  return {};
}

Status S8Product::find_chains(int64_t blocks, bool can_centre) {
  const std::span weights(this->weights(), static_cast<size_t>(blocks * block_bytes_));
  const S8ChainRules& rules = *tile_.chains;
  const auto chains_for = [&](bool not_negative, AlignedArray<uint8_t>& chains) {
    chains = AlignedArray<uint8_t>(rules.bytes(std::ssize(weights)));
    if (chains.data() != nullptr) rules.find(weights, block_bytes_, not_negative, chains.data());
    return chains.data() != nullptr;
  };
  if (rules.for_any_inputs && !chains_for(false, chains_)) return no_memory();
  if (!can_centre) return {};
  AlignedArray<int32_t> starts(blocks * kTileBlock);
  if (starts.data() == nullptr || !chains_for(true, centred_chains_)) return no_memory();
  for (int64_t block = 0; block < blocks; ++block) {
    int32_t* const start = starts.data() + block * kTileBlock;
    sum_weights(block, start);
    for (int64_t i = 0; i < kTileBlock; ++i)
      start[i] = s8::wrapping_add(outputs_.start(block)[i], (tile_.input_offset + rules.centre) * start[i]);
  }
  centred_start_ = std::move(starts);
  std::fill(std::begin(centred_padding_), std::end(centred_padding_), static_cast<int8_t>(-rules.centre));
  return {};
}

// Computes the sums of the weights with the tile, using inputs whose value acts as 1.
void S8Product::sum_weights(int64_t block, int32_t* sums) const {
  int8_t ones[kS8Grain];
  std::fill(ones, ones + kS8Grain, static_cast<int8_t>(1 - tile_.input_offset));
  const int64_t first = 0;
  const int32_t zeros[kTileBlock] = {};
  S8Tile tile;
  tile.points = tile.blocks = tile.segments = 1;
  tile.input = ones;
  tile.offsets = &first;
  tile.length = kS8Grain;
  tile.chunks = block_bytes_ / (kS8Grain * kTileBlock);
  tile.weights = weights() + block * block_bytes_;
  tile.start = zeros;
  tile.sums = sums;
  tile_.run(tile);
}

void S8Product::subtract(uint32_t offset, int64_t blocks) {
  int32_t sums[kTileBlock];
  for (int64_t block = 0; block < blocks; ++block) {
    sum_weights(block, sums);
    int32_t* start = outputs_.start(block);
    for (int64_t i = 0; i < kTileBlock; ++i)
      start[i] = static_cast<int32_t>(static_cast<uint32_t>(start[i]) - offset * static_cast<uint32_t>(sums[i]));
  }
}

// Returns whether the tile itself computes the outputs of these points.
bool S8Product::finishes(const S8Tile& tile, const S8Finish& finish) const {
  const bool whole = finish.output != nullptr && finish.point_stride == kTileBlock && finish.last_lanes == kTileBlock;
  if (!whole || tile_.finishes == S8TileFinishes::kNone) return false;
  if (tile_.finishes == S8TileFinishes::kAll) return tile.points >= kMinFinishedPoints;
  const bool shifts = finish.residual == nullptr && finish.scale == nullptr && !finish.is_half_even();
  return shifts && tile.chains != nullptr && tile.points >= kMinChainPoints;
}

// Returns the part of the next blocks' weights that this tile prefetches: kTileBlock bytes per segment, so that tiles
// share the work. Returns null if the weights fit in the caches or nothing is left to prefetch.
const int8_t* S8Product::weights_to_prefetch(int64_t first_block, const S8Tile& tile) const {
  constexpr int64_t kMaxCached = 128 * 1024;
  const bool has_next = first_block + 2 * tile.blocks <= blocks_;
  const int64_t num_tiles = tile.blocks * kTileBlock * kTileBlock / kS8PrefetchBytes;
  if (!has_next || tile.sequence >= num_tiles || blocks_ * block_bytes_ < kMaxCached) return nullptr;
  return weights(first_block + tile.blocks) + tile.sequence * tile.segments * tile.chunks * kS8PrefetchBytes;
}

void S8Product::run_part(int64_t first_block, S8Tile& tile, S8Finish& finish) const {
  finish.points = tile.points;
  tile.finish = finishes(tile, finish) ? &finish : nullptr;
  tile.prefetch = weights_to_prefetch(first_block, tile);
  tile_.run(tile);
  if (tile.finish == nullptr) outputs_.run(first_block, finish);
}

void S8Product::run(int64_t first_block, S8Tile& tile, S8Finish& finish, Inputs inputs) const {
  alignas(64) int32_t sums[kMaxS8TileSums];
  tile.weights = weights() + first_block * block_bytes_;
  tile.weights_stride = block_bytes_;
  const bool any = inputs == Inputs::kAny, centred = inputs == Inputs::kCentred;
  const int32_t* const centred_start = any ? nullptr : centred_start_.data() + first_block * kTileBlock;
  tile.padding = centred ? centred_padding_ : padding_;
  tile.padded = padded_;
  tile.chains = nullptr;
  const AlignedArray<uint8_t>& chains = any ? chains_ : centred_chains_;
  if (chains.data() != nullptr && (tile.length == kS8ChainStep || (tile.segments == 1 && tile.chunks == 1)))
    tile.chains = chains.data() + first_block * tile_.chains->bytes(block_bytes_);
  tile.centred_start = centred ? nullptr : centred_start;
  tile.start = centred ? centred_start : outputs_.start(first_block);
  tile.sums = sums;
  finish.sums = sums;
  finish.blocks = tile.blocks;
  outputs_.set(first_block, finish);
  const TileLimits& limits = tile_.limits;
  const bool any_points = tile_.finishes == S8TileFinishes::kOfChains && finishes(tile, finish);
  if (any_points || tile.points <= limits.points) return run_part(first_block, tile, finish);
  const int64_t points = tile.points, parts = ceil_div(points, limits.points);
  for (int64_t i = 0; i < parts; ++i) {
    tile.points = part_of(points, i, parts, limits.grain).size();
    run_part(first_block, tile, finish);
    tile.offsets += tile.points;
    ++tile.sequence;
    finish.advance(tile.points);
  }
}

}  // namespace nestrt::kernels
