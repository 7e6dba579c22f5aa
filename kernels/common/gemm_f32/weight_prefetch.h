// SPDX-License-Identifier: Apache-2.0
// Weight prefetch for in-order cores: dummy loads fetch two consecutive cache lines per two elements during
// computation. They target the weights of upcoming tiles if those are known and fit in L1, otherwise the tile's own
// weights.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

struct WeightPrefetch {
  const float* from = nullptr;
  int64_t step = 0;             // bytes between cache lines; 0: nothing to prefetch, but `from` remains readable
  const float* last = nullptr;  // the last address at which a segment, or a chunk of one, may start prefetching
};

inline WeightPrefetch weight_prefetch_for(const Tile16& tile) {
  constexpr int64_t kMaxCached = 8 * 1024 / sizeof(float);  // a quarter of a Cortex-A53's L1
  // Far enough ahead for the hardware prefetcher to keep as many lines in flight as the memory latency requires.
  constexpr int64_t kDistance = 6 * kTileBlock;
  const int64_t elements = tile.segments * ((tile.chunks - 1) * tile.length + tile.last_length);
  const int64_t in_segment = std::max(tile.length, tile.last_length) * kTileBlock;
  const bool has_next = tile.prefetch != nullptr && elements * kTileBlock <= kMaxCached;
  const float* const from = has_next ? tile.prefetch : tile.weights + kDistance;
  const float* const end =
      has_next ? tile.prefetch + elements * tile.prefetch_step : tile.weights + elements * kTileBlock;
  if (end - from < in_segment) return {tile.weights, 0, tile.weights};
  return {from, kTileBlock * int64_t{sizeof(float)}, end - in_segment};
}

}  // namespace nestrt::kernels
