// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/winograd/winograd_tasks.h"

#include <algorithm>

namespace nestrt::kernels {
namespace {

constexpr int64_t kChunkBytes = 704 * 1024;  // of transformed inputs; fits a second-level cache of 1 MB
constexpr int64_t kMaxChunkTiles = 54;

bool is_window(const ConvAxis& axis, int64_t stride) {
  return axis.kernel == 3 && axis.stride == stride && axis.dilation == 1;
}

}  // namespace

bool is_winograd_faster(const ConvGeometry& g, const WinogradCosts& costs, const WinogradShape& shape) {
  constexpr double kGain = 0.9;
  if (g.group != 1 || !is_window(g.axes[1], shape.stride) || !is_window(g.axes[2], shape.stride)) return false;
  const WinogradTiles all(g, shape);
  if (g.output.num_elements() == 0 || all.count() < g.batch * costs.min_tiles) return false;
  const auto pairs = static_cast<double>(g.in_channels) * static_cast<double>(g.out_channels);
  const auto channels = static_cast<double>(g.in_channels) + static_cast<double>(g.out_channels);
  const double direct =
      pairs * 9 * (static_cast<double>(g.batch * g.out_spatial()) * costs.direct_product + costs.direct_weight);
  const double transformed = pairs * (static_cast<double>(all.products()) * costs.product +
                                      static_cast<double>(shape.weight_positions()) * costs.weight) +
                             channels * static_cast<double>(all.count() * shape.tile * shape.tile) * costs.element;
  return transformed < kGain * direct;
}

WinogradTasks::WinogradTasks(const ConvGeometry& g, int64_t grain, int64_t element_bytes, const WinogradShape& shape)
    : tiles_(g, shape), grain_(grain) {
  const int64_t tile_bytes = shape.positions() * ceil_div(g.in_channels, kTileBlock) * kTileBlock * element_bytes;
  const int64_t most = std::clamp(kChunkBytes / tile_bytes / grain * grain, grain, kMaxChunkTiles);
  const int64_t chunks = ceil_div(tiles_.count(), most);
  chunk_tiles_ = round_up(ceil_div(tiles_.count(), chunks), grain);
}

WinogradChunk WinogradTasks::chunk_of(Range tiles) const {
  WinogradChunk chunk{tiles, tiles_.counts_before(tiles_.at(tiles.first)), tiles_.counts_before(tiles_.at(tiles.last))};
  for (size_t i = 0; i < kWinogradClasses; ++i) chunk.tiles[i] -= chunk.before[i];
  return chunk;
}

void WinogradTasks::run(const ConvGeometry& g, const KernelCall& call,
                        FunctionRef<void(const WinogradItem&)> transform_item,
                        FunctionRef<void(const WinogradProducts&)> multiply_tiles) const {
  const int64_t all = tiles_.count();
  for (int64_t first = 0; first < all; first += chunk_tiles_) {
    const WinogradChunk chunk = chunk_of({first, std::min(all, first + chunk_tiles_)});
    transform(g, call, chunk, transform_item);
    multiply(g, call, chunk, multiply_tiles);
  }
}

void WinogradTasks::transform(const ConvGeometry& g, const KernelCall& call, const WinogradChunk& chunk,
                              FunctionRef<void(const WinogradItem&)> transform_item) const {
  const WinogradShape& shape = tiles_.shape();
  const int64_t items = ceil_div(g.in_channels, kTileBlock) * chunk.size();
  const int64_t parts =
      std::min(items, task_count(items * kTileBlock, shape.positions() * shape.side, call.parallel->num_threads()));
  const WinogradTile first = tiles_.at(chunk.first);
  call.parallel->parallel_for(parts, [&](int64_t index, int) {
    const Range part = part_of(items, index, parts);
    int64_t block = part.first / chunk.size();
    WinogradTile tile = tiles_.at(chunk.first + part.first - block * chunk.size());
    for (int64_t item = part.first; item < part.last; ++item) {
      const bool is_last = tile.index + 1 == chunk.last;
      const WinogradTile next = is_last ? first : tiles_.after(tile);
      transform_item({chunk, tile, next, block});
      block += is_last ? 1 : 0;
      tile = next;
    }
  });
}

// Splits along the outputs, so that their weights are read once, and also along the tiles if there are few outputs.
void WinogradTasks::multiply(const ConvGeometry& g, const KernelCall& call, const WinogradChunk& chunk,
                             FunctionRef<void(const WinogradProducts&)> multiply_tiles) const {
  const int64_t blocks = ceil_div(g.out_channels, kTileBlock), groups = ceil_div(chunk.size(), grain_);
  const int64_t wanted = task_count(chunk.size() * blocks * kTileBlock, g.in_channels * tiles_.shape().positions(),
                                    call.parallel->num_threads());
  const int64_t block_parts = std::min(blocks, wanted), tile_parts = std::min(ceil_div(wanted, block_parts), groups);
  call.parallel->parallel_for(block_parts * tile_parts, [&](int64_t index, int slot) {
    const Range tiles = part_of(chunk.size(), index % tile_parts, tile_parts, grain_);
    multiply_tiles({chunk,
                    {chunk.first + tiles.first, chunk.first + tiles.last},
                    part_of(blocks, index / tile_parts, block_parts),
                    slot});
  });
}

}  // namespace nestrt::kernels
