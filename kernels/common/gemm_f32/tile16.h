// SPDX-License-Identifier: Apache-2.0
// The f32 register tile used by convolutions, dense layers and matrix products.
//
// A tile computes `points` x (`blocks` * 16) sums. A point is a pixel (or a row of a matrix), and a block is 16 outputs
// that are adjacent in packed weights. Each sum starts with its bias and adds x[i] * weights[i] in a fixed order: over
// chunks, over the segments of a chunk, and over the elements of a segment. Results therefore do not depend on how the
// work is split into tiles.
//
// A segment is a run of contiguous input elements per point: 16 channels under one tap of a blocked convolution, the
// kernel width of a plain convolution, or a whole row of a matrix.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/math/activation.h"

namespace nestrt::kernels {

inline constexpr int64_t kTileBlock = 16;
// Maximum over all instruction sets. NEON processes few points at a time, but longer rows amortize the call overhead.
inline constexpr int64_t kMaxTilePoints = 54;
// Maximum length of a segment whose points may be in the padding.
inline constexpr int64_t kTileZeros = 16;

struct Tile16 {
  int64_t points = 0;  // 1 to TileLimits::points
  int64_t blocks = 0;  // 1 to TileLimits::blocks, or a power of two up to TileLimits::few_blocks[points - 1]

  // Reduction. Point p of segment s in chunk c reads from input + c * chunk_stride + offsets[s * points + p]; a
  // negative offset reads zeros (padding) and requires length <= kTileZeros.
  const float* input = nullptr;
  const int64_t* offsets = nullptr;
  int64_t segments = 0;
  int64_t chunks = 0;
  int64_t chunk_stride = 0;
  int64_t length = 0;       // elements of a segment
  int64_t last_length = 0;  // elements of a segment in the last chunk
  // True if there is only one segment, its points are equally spaced in all chunks, and no offset is negative. The next
  // inputs can then be prefetched.
  bool evenly_spaced = false;
  // 16 floats per reduction element, in order. Elements are `weights_step` floats apart, blocks `weights_stride`. Only
  // tiles of at most TileLimits::unpacked_points points support a step other than 16.
  const float* weights = nullptr;
  int64_t weights_step = kTileBlock;
  int64_t weights_stride = 0;
  // Weights of later tiles to prefetch, with the same stride between blocks. Each element prefetches `prefetch_step`
  // floats, which must be readable. Null disables prefetching.
  const float* prefetch = nullptr;
  int64_t prefetch_step = 0;

  // Epilogue: y = activation(sum + residual). Output and residual have the same strides.
  const float* bias = nullptr;        // blocks * 16, or null
  const float* point_bias = nullptr;  // one per point, or null
  const float* residual = nullptr;    // or null
  float* output = nullptr;
  int64_t point_stride = 0;
  int64_t block_stride = 0;
  int64_t last_lanes = kTileBlock;  // number of valid outputs in the last block; no others are read or written
  Activation activation;
};

// Sets the weights that tile `index` prefetches: its share of the weights at `next`. `count`: the number of tiles that
// share the current weights; the same number of tiles read those at `next` later.
inline void set_prefetch(Tile16& tile, const float* next, int64_t block_floats, int64_t index, int64_t count) {
  if (count == 1) {  // avoids divisions; each costs an in-order core as much as a step
    tile.prefetch_step = kTileBlock;
    tile.prefetch = next;
    return;
  }
  tile.prefetch_step = (kTileBlock + count - 1) / count;
  const int64_t last = block_floats - block_floats / kTileBlock * tile.prefetch_step;
  tile.prefetch = next == nullptr ? nullptr : next + std::min(block_floats * index / count, last);
}

// Tiles of at most this many points may have more blocks, because too few sums would not hide the latency of a
// multiplication.
inline constexpr int64_t kFewPoints = 3;

// Tile sizes that fit the registers of the current instruction set.
struct TileLimits {
  int64_t points = 1;
  int64_t blocks = 1;
  int64_t grain = 1;                                       // number of points that cost as much as one
  std::array<int64_t, kFewPoints> few_blocks = {1, 1, 1};  // by the number of points, from 1; powers of two
  int64_t unpacked_points = 1;

  // Returns the maximum number of blocks per tile of a product with `rows` rows, at least 1.
  int64_t blocks_for(int64_t rows) const {
    return rows > kFewPoints ? blocks : std::max(blocks, few_blocks[static_cast<size_t>(rows - 1)]);
  }
};
TileLimits tile16_limits();

using Tile16Function = void (*)(const Tile16& tile);
// Returns the implementation for the current instruction set.
Tile16Function tile16_function();

}  // namespace nestrt::kernels
