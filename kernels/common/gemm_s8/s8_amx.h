// Products of tiles of bytes with AMX (InstructionSet::kAvx512Amx; x86-64 alone): 16 points by 16 outputs, of 64 bytes
// each, in one instruction. Signed with signed bytes, so that sums need no compensation; they wrap as those of
// kernels/common/gemm_s8/s8_tile.h do.
#pragma once

#include <cstdint>

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

inline constexpr int64_t kAmxPoints = 16;  // rows of a tile
inline constexpr int64_t kAmxDepth = 64;   // bytes of a row

// The sizes of the tile registers, as the processor reads them.
struct alignas(64) AmxShape {
  uint8_t bytes[64] = {};
};

// Tiles of `points` inputs, 1 to kAmxPoints, each of `depth` bytes, a multiple of 4 up to kAmxDepth.
AmxShape amx_shape(int64_t points, int64_t depth);

// A thread's tile registers, from the construction to the end: between the two every amx_run() has that shape. Left
// configured they would be saved and restored whenever the thread changes.
class AmxUse {
 public:
  explicit AmxUse(const AmxShape& shape);
  ~AmxUse();
  AmxUse(const AmxUse&) = delete;
  AmxUse& operator=(const AmxUse&) = delete;
};

// One or two tiles of points by one or two blocks of 16 outputs.
struct AmxTile {
  // Point p of tile t reads `depth` bytes of each step s from points[t] + p * point_stride + steps[s], also where the
  // tile has fewer points than its shape: what lies there must be readable. points[1] is null where there is one tile.
  const int8_t* points[2] = {};
  int64_t point_stride = 0;
  const int64_t* steps = nullptr;
  int64_t num_steps = 0;

  // Weights of a step: [depth / 4][16 outputs][4 bytes]; `weights_step` bytes apart but for the last, which lie
  // `weights_last` bytes after the first.
  const int8_t* weights = nullptr;
  int64_t weights_step = 0;
  int64_t weights_last = 0;
  int64_t weights_stride = 0;  // bytes between blocks
  int64_t blocks = 0;
  bool are_far = false;  // beyond the second-level cache: they are fetched ahead

  const int32_t* start = nullptr;  // blocks * 16
  int32_t* sums[2] = {};           // of each tile: [points of the shape][blocks * 16]
};
void amx_run(const AmxTile& tile);

// Points whose channels lie in planes of 16, side by side: [points][round_up(16 * planes, kAmxDepth)]. Where the last
// 64 bytes of a point are not all channels, those are its last ones, and zeros come before; but the planes of points
// that have no more than 64 bytes come first.
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
