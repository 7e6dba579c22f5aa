// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_f32/panel_product.h"

#include <cstring>

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

int64_t panel_tasks(int64_t rows, int64_t inner, int64_t columns, int threads) {
  return task_count(std::max(rows, kFewPoints) * columns, inner, threads);
}

void pack_panels(const float* matrix, int64_t stride, int64_t inner, int64_t columns, float* packed) {
  const int64_t full = columns / kTileBlock, last = columns % kTileBlock;
  for (int64_t k = 0; k < inner; ++k, matrix += stride) {
    float* to = packed + k * kTileBlock;
    for (int64_t panel = 0; panel < full; ++panel, to += inner * kTileBlock)
      std::memcpy(to, matrix + panel * kTileBlock, kTileBlock * sizeof(float));
    for (int64_t i = 0; last > 0 && i < kTileBlock; ++i) to[i] = i < last ? matrix[full * kTileBlock + i] : 0.0f;
  }
}

void run_panels(const PanelProduct& product, Tile16Function tile_function, const TileLimits& limits, Range rows,
                Range panels) {
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < limits.points; ++p) offsets[p] = p * product.inner;
  Tile16 tile;
  tile.offsets = offsets;
  tile.segments = tile.chunks = 1;
  tile.evenly_spaced = true;
  tile.length = tile.last_length = product.inner;
  const bool packed = product.unpacked_stride == 0;
  tile.weights_step = packed ? kTileBlock : product.unpacked_stride;
  tile.weights_stride = packed ? product.inner * kTileBlock : kTileBlock;
  tile.point_stride = product.stride;
  tile.block_stride = kTileBlock;
  tile.activation = product.activation;
  const int64_t tiles = ceil_div(rows.size(), limits.points);
  tile.blocks = limits.blocks_for(rows.size());
  for (int64_t panel = panels.first; panel < panels.last; panel += tile.blocks) {
    while (tile.blocks > panels.last - panel) tile.blocks /= 2;
    tile.last_lanes = std::min(kTileBlock, product.columns - (panel + tile.blocks - 1) * kTileBlock);
    tile.weights = product.panels + panel * tile.weights_stride;
    tile.bias = product.bias == nullptr ? nullptr : product.bias + panel * kTileBlock;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(rows.size(), t, tiles, limits.grain);
      tile.points = part.size();
      tile.input = product.a + (rows.first + part.first) * product.inner;
      tile.output = product.y + (rows.first + part.first) * product.stride + panel * kTileBlock;
      tile_function(tile);
    }
  }
}

}  // namespace nestrt::kernels
