// Weights that an in-order core has come while it works: loads to nowhere, two lines for two elements, the one behind
// the other. Those of tiles to come, where they are known and few enough for the first-level cache to keep, else the
// tile's own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

struct WeightPrefetch {
  const float* from = nullptr;
  int64_t step = 0;             // bytes from a line to the next; 0: there is nothing to touch, `from` is there
  const float* last = nullptr;  // where a segment, or a chunk of one, may begin to touch
};

inline WeightPrefetch touched_weights(const Tile16& tile) {
  constexpr int64_t kKept = 8 * 1024 / sizeof(float);  // a quarter of a Cortex-A53's
  // What fetches ahead of the touched lines then has as many on their way as the memory takes to answer.
  constexpr int64_t kAhead = 6 * kTileBlock;
  const int64_t elements = tile.segments * ((tile.chunks - 1) * tile.length + tile.last_length);
  const int64_t in_segment = std::max(tile.length, tile.last_length) * kTileBlock;
  const bool are_others = tile.ahead != nullptr && elements * kTileBlock <= kKept;
  const float* const from = are_others ? tile.ahead : tile.weights + kAhead;
  const float* const end = are_others ? tile.ahead + elements * tile.ahead_step : tile.weights + elements * kTileBlock;
  if (end - from < in_segment) return {tile.weights, 0, tile.weights};
  return {from, kTileBlock * int64_t{sizeof(float)}, end - in_segment};
}

}  // namespace nestrt::kernels
