// Weights that an in-order core has come while it works: loads to nowhere, two lines for two elements, the one behind
// the other. Those of tiles to come, where they are known, else the tile's own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/tile16.h"

namespace nestrt::kernels {

struct TouchedWeights {
  const float* from = nullptr;
  int64_t step = 0;  // bytes from a line to the next; 0: there is nothing to touch, `from` is a line that is there
  const float* last = nullptr;  // where a segment, or a chunk of one, may begin to touch
};

inline TouchedWeights touched_weights(const Tile16& tile) {
  // What fetches ahead of the touched lines then has as many on their way as the memory takes to answer.
  constexpr int64_t kAhead = 6 * kTileBlock;
  const int64_t elements = tile.segments * ((tile.chunks - 1) * tile.length + tile.last_length);
  const int64_t in_segment = std::max(tile.length, tile.last_length) * kTileBlock;
  const float* const from = tile.ahead != nullptr ? tile.ahead : tile.weights + kAhead;
  const float* const end =
      tile.ahead != nullptr ? tile.ahead + elements * tile.ahead_step : tile.weights + elements * kTileBlock;
  if (end - from < in_segment) return {tile.weights, 0, tile.weights};
  return {from, kTileBlock * int64_t{sizeof(float)}, end - in_segment};
}

}  // namespace nestrt::kernels
