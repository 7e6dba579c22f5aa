// The register tile under convolution, dense layers and matrix products.
//
// A tile computes `points` x (`blocks` * 16) sums: a point is a pixel (or a row of a matrix), a block is 16 outputs
// that lie side by side in packed weights. Each sum starts with its bias and adds, in a fixed order, for every chunk,
// for every segment of the chunk, x[i] * weights[i] over the segment's elements. So a result does not depend on how the
// work was cut into tiles.
//
// A segment is a run of contiguous elements of the input, per point: 16 channels under one tap of a blocked
// convolution, the width of the kernel under a plain one, a whole row of a matrix.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/math/activation.h"

namespace nestrt::kernels {

inline constexpr int64_t kTileBlock = 16;
// On any instruction set: where a tile takes few points at once, many in a row share what a call takes to begin.
inline constexpr int64_t kMaxTilePoints = 54;
// More elements than this can not be asked of a segment that reads zeros.
inline constexpr int64_t kTileZeros = 16;

struct Tile16 {
  int64_t points = 0;  // 1 to TileLimits::points
  int64_t blocks = 0;  // 1 to TileLimits::blocks

  // Reduction. Point p of segment s in chunk c reads from input + c * chunk_stride + offsets[s * points + p];
  // a negative offset reads zeros (padding), for which length must not exceed kTileZeros.
  const float* input = nullptr;
  const int64_t* offsets = nullptr;
  int64_t segments = 0;
  int64_t chunks = 0;
  int64_t chunk_stride = 0;
  int64_t length = 0;       // elements of a segment ...
  int64_t last_length = 0;  // ... and of those in the last chunk
  // That there is one segment, and its points lie at equal distances in all chunks, none negative: what comes next can
  // be had from memory before it is needed.
  bool in_line = false;
  // 16 floats per element of the reduction, in its order; the blocks are weights_stride floats apart.
  const float* weights = nullptr;
  int64_t weights_stride = 0;
  // Weights that tiles after this one read, in blocks as far apart: brought to the caches meanwhile, ahead_step floats
  // for each element, which must be there; null where there are none.
  const float* ahead = nullptr;
  int64_t ahead_step = 0;

  // Epilogue: y = activation(sum + residual). Output and residual have the same strides.
  const float* bias = nullptr;        // blocks * 16, or null
  const float* point_bias = nullptr;  // one per point, or null
  const float* residual = nullptr;    // or null
  float* output = nullptr;
  int64_t point_stride = 0;
  int64_t block_stride = 0;
  int64_t last_lanes = kTileBlock;  // outputs of the last block that exist: no others are read or written
  Activation activation;
};

// Of `count` tiles that read the same weights, tile `index` brings its share of those at `next`, which as many tiles
// read.
inline void set_prefetch(Tile16& tile, const float* next, int64_t block_floats, int64_t index, int64_t count) {
  if (count == 1) {  // no divisions: an in-order core takes as long for each as for a step
    tile.ahead_step = kTileBlock;
    tile.ahead = next;
    return;
  }
  tile.ahead_step = (kTileBlock + count - 1) / count;
  const int64_t last = block_floats - block_floats / kTileBlock * tile.ahead_step;
  tile.ahead = next == nullptr ? nullptr : next + std::min(block_floats * index / count, last);
}

// What fits the registers of the current instruction set.
struct TileLimits {
  int64_t points = 1;
  int64_t blocks = 1;
  int64_t grain = 1;  // points that take as long as one
};
TileLimits tile16_limits();

using Tile16Function = void (*)(const Tile16& tile);
// The implementation for the current instruction set.
Tile16Function tile16_function();

}  // namespace nestrt::kernels
