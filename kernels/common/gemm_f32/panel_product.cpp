// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_f32/panel_product.h"

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

void run_panels(const PanelProduct& product, Tile16Function tile_function, const TileLimits& limits, Range rows,
                Range panels) {
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < limits.points; ++p) offsets[p] = p * product.inner;
  Tile16 tile;
  tile.offsets = offsets;
  tile.segments = tile.chunks = 1;
  tile.evenly_spaced = true;
  tile.length = tile.last_length = product.inner;
  tile.weights_stride = product.inner * kTileBlock;
  tile.point_stride = product.stride;
  tile.block_stride = kTileBlock;
  tile.activation = product.activation;
  const int64_t tiles = ceil_div(rows.size(), limits.points);
  for (int64_t panel = panels.first; panel < panels.last; panel += limits.blocks) {
    tile.blocks = std::min(limits.blocks, panels.last - panel);
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
