#include "kernels/conv/winograd_tasks.h"

#include <algorithm>
#include <bit>

namespace nestrt::kernels {
namespace {

constexpr int64_t kChunkBytes = 704 * 1024;  // of transformed inputs: fits a second-level cache of 1 MB
constexpr int64_t kMaxChunkTiles = 54;

int64_t tiles_along(const ConvAxis& axis, const WinogradShape& shape) { return ceil_div(axis.output, shape.tile); }
int64_t tiles_of(const ConvGeometry& g, const WinogradShape& shape) {
  return tiles_along(g.axes[1], shape) * tiles_along(g.axes[2], shape);
}

bool ends_short(const ConvAxis& axis, const WinogradShape& shape) {
  const int64_t last = axis.output % shape.tile;
  return last > 0 && last <= shape.short_tile;
}

// Of all tiles along an axis.
int64_t places_along(const ConvAxis& axis, const WinogradShape& shape) {
  const int64_t spared = ends_short(axis, shape) ? std::popcount(shape.spared_places) : 0;
  return tiles_along(axis, shape) * shape.side - spared;
}

bool is_window(const ConvAxis& axis, int64_t stride) {
  return axis.kernel == 3 && axis.stride == stride && axis.dilation == 1;
}

}  // namespace

bool winograd_pays(const ConvGeometry& g, const WinogradCosts& costs, const WinogradShape& shape) {
  constexpr double kGain = 0.9;
  if (g.group != 1 || !is_window(g.axes[1], shape.stride) || !is_window(g.axes[2], shape.stride)) return false;
  if (g.output.num_elements() == 0 || tiles_of(g, shape) < costs.least_tiles) return false;
  const auto pairs = static_cast<double>(g.in_channels) * static_cast<double>(g.out_channels);
  const auto channels = static_cast<double>(g.in_channels) + static_cast<double>(g.out_channels);
  const auto tiles = static_cast<double>(g.batch * tiles_of(g, shape));
  const double direct =
      pairs * 9 * (static_cast<double>(g.batch * g.out_spatial()) * costs.direct_product + costs.direct_weight);
  const auto places = static_cast<double>(g.batch * places_along(g.axes[1], shape) * places_along(g.axes[2], shape));
  const double transformed =
      pairs * (places * costs.product + static_cast<double>(shape.weight_positions()) * costs.weight) +
      channels * tiles * static_cast<double>(shape.tile * shape.tile) * costs.element;
  return transformed < kGain * direct;
}

WinogradTasks::WinogradTasks(const ConvGeometry& g, int64_t grain, int64_t element_bytes, const WinogradShape& shape)
    : shape_(shape),
      columns_(tiles_along(g.axes[2], shape)),
      tiles_(tiles_of(g, shape)),
      ends_short_{ends_short(g.axes[1], shape), ends_short(g.axes[2], shape)},
      grain_(grain) {
  const int64_t tile_bytes = shape.positions() * ceil_div(g.in_channels, kTileBlock) * kTileBlock * element_bytes;
  const int64_t most = std::clamp(kChunkBytes / tile_bytes / grain * grain, grain, kMaxChunkTiles);
  const int64_t chunks = ceil_div(g.batch * tiles_, most);
  chunk_tiles_ = round_up(ceil_div(g.batch * tiles_, chunks), grain);
}

WinogradPlace WinogradTasks::place_of(int64_t tile) const {
  const int64_t in_image = tile % tiles_;
  return {tile / tiles_, in_image / columns_ * shape_.tile, in_image % columns_ * shape_.tile};
}

WinogradAxes WinogradTasks::is_short(int64_t tile) const {
  if (!has_short_tiles()) return {};
  const int64_t in_image = tile % tiles_;
  return {ends_short_.rows && in_image >= tiles_ - columns_,
          ends_short_.columns && in_image % columns_ == columns_ - 1};
}

WinogradCounts WinogradTasks::counts_before(int64_t tile) const {
  if (!has_short_tiles()) return {tile, tile, tile, tile};
  const int64_t image = tile / tiles_, row = tile % tiles_ / columns_, column = tile % columns_;
  WinogradCounts counts{};
  for (const bool rows_spared : {false, true})
    for (const bool columns_spared : {false, true}) {
      const int64_t rows = tiles_ / columns_ - (rows_spared && ends_short_.rows ? 1 : 0);
      const int64_t columns = columns_ - (columns_spared && ends_short_.columns ? 1 : 0);
      const int64_t whole_rows = image * rows + std::min(row, rows);
      counts[WinogradAxes{rows_spared, columns_spared}.index()] =
          whole_rows * columns + (row < rows ? std::min(column, columns) : 0);
    }
  return counts;
}

WinogradChunk WinogradTasks::chunk_of(Range tiles) const {
  WinogradChunk chunk{tiles, counts_before(tiles.first), counts_before(tiles.last)};
  for (size_t i = 0; i < kWinogradClasses; ++i) chunk.tiles[i] -= chunk.before[i];
  return chunk;
}

int64_t WinogradTasks::row_length(Range tiles, int64_t tile, int64_t most) const {
  return std::min({most, tiles.last - tile, columns_ - tile % columns_});
}

void WinogradTasks::run(const ConvGeometry& g, const KernelCall& call,
                        FunctionRef<void(const WinogradItem&)> transform_item,
                        FunctionRef<void(const WinogradProducts&)> multiply_tiles) const {
  const int64_t all = g.batch * tiles_;
  for (int64_t first = 0; first < all; first += chunk_tiles_) {
    const WinogradChunk chunk = chunk_of({first, std::min(all, first + chunk_tiles_)});
    transform(g, call, chunk, transform_item);
    multiply(g, call, chunk, multiply_tiles);
  }
}

void WinogradTasks::transform(const ConvGeometry& g, const KernelCall& call, const WinogradChunk& chunk,
                              FunctionRef<void(const WinogradItem&)> transform_item) const {
  const int64_t items = ceil_div(g.in_channels, kTileBlock) * chunk.size();
  const int64_t parts =
      std::min(items, task_count(items * kTileBlock, shape_.positions() * shape_.side, call.parallel->num_threads()));
  call.parallel->parallel_for(parts, [&](int64_t index, int) {
    const Range part = part_of(items, index, parts);
    for (int64_t item = part.first; item < part.last; ++item)
      transform_item({chunk, chunk.first + item % chunk.size(), item / chunk.size()});
  });
}

// Cut along the outputs, whose weights are then read once, and along the tiles where there are few of those.
void WinogradTasks::multiply(const ConvGeometry& g, const KernelCall& call, const WinogradChunk& chunk,
                             FunctionRef<void(const WinogradProducts&)> multiply_tiles) const {
  const int64_t blocks = ceil_div(g.out_channels, kTileBlock), groups = ceil_div(chunk.size(), grain_);
  const int64_t wanted =
      task_count(chunk.size() * blocks * kTileBlock, g.in_channels * shape_.positions(), call.parallel->num_threads());
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
