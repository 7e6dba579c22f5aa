// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/winograd/winograd_tiles.h"

#include <catch2/catch.hpp>

namespace nestrt::test {
namespace {

using kernels::WinogradAxes;
using kernels::WinogradShape;
using kernels::WinogradTile;
using kernels::WinogradTiles;

constexpr WinogradShape kShapes[] = {kernels::kWinogradFour, kernels::kWinogradTwo, kernels::kWinogradStrided};
constexpr int64_t kImages = 2;

kernels::ConvGeometry maps(int64_t height, int64_t width) {
  kernels::ConvGeometry geometry;
  geometry.batch = kImages;
  geometry.in_channels = geometry.out_channels = 16;
  geometry.axes[1].output = height;
  geometry.axes[2].output = width;
  return geometry;
}

// Calls action(shape, tiles, height, width) for maps with up to 9 x 9 pixels.
template <typename Action>
void for_each_map(Action action) {
  constexpr int64_t kMost = 9;
  for (const WinogradShape& shape : kShapes)
    for (int64_t height = 1; height <= kMost; ++height)
      for (int64_t width = 1; width <= kMost; ++width)
        action(shape, WinogradTiles(maps(height, width), shape), height, width);
}

}  // namespace

TEST_CASE("Tiles are numbered in iteration order") {
  for_each_map([](const WinogradShape& shape, const WinogradTiles& tiles, int64_t height, int64_t width) {
    CHECK(tiles.count() == kImages * kernels::ceil_div(height, shape.tile) * kernels::ceil_div(width, shape.tile));
    WinogradTile tile = tiles.at(0);
    for (int64_t i = 0; i <= tiles.count(); ++i, tile = tiles.after(tile)) {
      const WinogradTile expected = tiles.at(i);
      CHECK(tile.index == i);
      CHECK(tile.image == expected.image);
      CHECK(tile.row == expected.row);
      CHECK(tile.column == expected.column);
    }
  });
}

TEST_CASE("The last tiles are short if few outputs remain") {
  for_each_map([](const WinogradShape& shape, const WinogradTiles& tiles, int64_t height, int64_t width) {
    for (int64_t i = 0; i < tiles.count(); ++i) {
      const WinogradTile tile = tiles.at(i);
      const WinogradAxes is_short = tiles.is_short(tile);
      CHECK(is_short.rows == (height - tile.row * shape.tile <= shape.short_tile));
      CHECK(is_short.columns == (width - tile.column * shape.tile <= shape.short_tile));
    }
  });
}

TEST_CASE("Tiles are counted separately for each class of positions") {
  for_each_map([](const WinogradShape& shape, const WinogradTiles& tiles, int64_t, int64_t) {
    kernels::WinogradCounts counted{};
    for (int64_t i = 0; i <= tiles.count(); ++i) {
      const WinogradTile tile = tiles.at(i);
      CHECK(tiles.counts_before(tile) == counted);
      if (i == tiles.count()) break;
      const WinogradAxes is_short = tiles.is_short(tile);
      for (const bool rows : {false, true})
        for (const bool columns : {false, true})
          counted[WinogradAxes{rows, columns}.index()] += !(rows && is_short.rows) && !(columns && is_short.columns);
    }
    int64_t products = 0;
    for (int64_t row = 0; row < shape.side; ++row)
      for (int64_t column = 0; column < shape.side; ++column)
        products += counted[WinogradAxes{shape.skips(row), shape.skips(column)}.index()];
    CHECK(tiles.products() == products);
  });
}

}  // namespace nestrt::test
