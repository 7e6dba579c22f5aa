// SPDX-License-Identifier: Apache-2.0
// Byte tile products with AMX (InstructionSet::kAvx512Amx, x86-64 only): one instruction multiplies 16 points by 16
// outputs, over 64 bytes each. Both operands are signed, so sums need no compensation. They wrap like the sums of
// kernels/common/gemm_s8/s8_tile.h.
#pragma once

#include <cstdint>

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

inline constexpr int64_t kAmxPoints = 16;  // rows of a tile
inline constexpr int64_t kAmxDepth = 64;   // bytes of a row

// The tile register configuration in the processor's format.
struct alignas(64) AmxShape {
  uint8_t bytes[64] = {};
};

// Returns the configuration for tiles with `points` inputs (1 to kAmxPoints) of `depth` bytes each (a multiple of 4 up
// to kAmxDepth).
AmxShape amx_shape(int64_t points, int64_t depth);

// Configures the tile registers of the current thread for the lifetime of the object. Every amx_run() within that
// lifetime must have that shape. The destructor releases the tile registers, because configured tiles are saved and
// restored at every context switch.
class AmxUse {
 public:
  explicit AmxUse(const AmxShape& shape);
  ~AmxUse();
  AmxUse(const AmxUse&) = delete;
  AmxUse& operator=(const AmxUse&) = delete;
};

// Products of one or two tiles of points and one or two blocks of 16 outputs.
struct AmxTile {
  // Point p of tile t reads `depth` bytes for each step s from points[t] + p * point_stride + steps[s]. Memory must be
  // readable for all points of the shape, even if the tile has fewer. points[1] is null if there is only one tile.
  const int8_t* points[2] = {};
  int64_t point_stride = 0;
  const int64_t* steps = nullptr;
  int64_t num_steps = 0;

  // Weights of a step: [depth / 4][16 outputs][4 bytes]. Steps are `weights_step` bytes apart, except that the last
  // step is `weights_last` bytes after the first.
  const int8_t* weights = nullptr;
  int64_t weights_step = 0;
  int64_t weights_last = 0;
  int64_t weights_stride = 0;  // bytes between blocks
  int64_t blocks = 0;
  bool needs_prefetch = false;  // weights exceed the second-level cache

  const int32_t* start = nullptr;  // blocks * 16
  int32_t* sums[2] = {};           // for each tile: [points of the shape][blocks * 16]
};
void amx_run(const AmxTile& tile);

// Interleaves points whose channels are stored in planes of 16: [points][round_up(16 * planes, kAmxDepth)]. If the last
// 64 bytes of a point are only partly used, its channels are at their end, preceded by zeros. In points of at most 64
// bytes, the channels come first instead.
struct AmxInterleave {
  const int8_t* from = nullptr;
  int64_t plane_stride = 0;
  int64_t point_stride = 0;
  int64_t planes = 0;
  int64_t points = 0;
  int8_t* to = nullptr;
};
void amx_interleave(const AmxInterleave& points);

}  // namespace nestrt::kernels
