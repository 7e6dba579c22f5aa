// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/winograd/winograd_tiles.h"

#include <bit>

namespace nestrt::kernels {
namespace {

bool ends_short(const ConvAxis& axis, const WinogradShape& shape) {
  const int64_t last = axis.output % shape.tile;
  return last > 0 && last <= shape.short_tile;
}

}  // namespace

WinogradTiles::WinogradTiles(const ConvGeometry& g, const WinogradShape& shape)
    : shape_(shape),
      images_(g.batch),
      rows_(ceil_div(g.axes[1].output, shape.tile)),
      columns_(ceil_div(g.axes[2].output, shape.tile)),
      ends_short_{ends_short(g.axes[1], shape), ends_short(g.axes[2], shape)} {}

int64_t WinogradTiles::products() const {
  const int64_t skipped = std::popcount(shape_.skipped_positions);
  return images_ * (rows_ * shape_.side - (ends_short_.rows ? skipped : 0)) *
         (columns_ * shape_.side - (ends_short_.columns ? skipped : 0));
}

WinogradTile WinogradTiles::at(int64_t index) const {
  const int64_t row = index / columns_, image = row / rows_;
  return {index, image, row - image * rows_, index - row * columns_};
}

WinogradTile WinogradTiles::after(WinogradTile tile, int64_t count) const {
  tile.index += count;
  tile.column += count;
  if (tile.column < columns_) return tile;
  tile.column = 0;
  if (++tile.row < rows_) return tile;
  tile.row = 0;
  ++tile.image;
  return tile;
}

WinogradCounts WinogradTiles::counts_before(const WinogradTile& tile) const {
  if (!ends_short_.rows && !ends_short_.columns) return {tile.index, tile.index, tile.index, tile.index};
  WinogradCounts counts{};
  for (const bool rows_skipped : {false, true})
    for (const bool columns_skipped : {false, true}) {
      const int64_t rows = rows_ - (rows_skipped && ends_short_.rows ? 1 : 0);
      const int64_t columns = columns_ - (columns_skipped && ends_short_.columns ? 1 : 0);
      const int64_t whole_rows = tile.image * rows + std::min(tile.row, rows);
      counts[WinogradAxes{rows_skipped, columns_skipped}.index()] =
          whole_rows * columns + (tile.row < rows ? std::min(tile.column, columns) : 0);
    }
  return counts;
}

}  // namespace nestrt::kernels
