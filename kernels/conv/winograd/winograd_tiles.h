// SPDX-License-Identifier: Apache-2.0
// The output tiles of a Winograd convolution, numbered row by row and image by image.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/framework/split.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/geometry.h"
#include "kernels/conv/winograd/winograd.h"

namespace nestrt::kernels {

struct WinogradTile {
  int64_t index;  // counted over all images
  int64_t image, row, column;
};

class WinogradTiles {
 public:
  WinogradTiles(const ConvGeometry& geometry, const WinogradShape& shape);

  const WinogradShape& shape() const { return shape_; }
  int64_t count() const { return images_ * rows_ * columns_; }  // in all images
  // Returns the number of products per pair of channels.
  int64_t products() const;

  // Returns the tile at `index`, which may be one past the last.
  WinogradTile at(int64_t index) const;
  // Returns the tile `count` positions later, which must be in the same row or the first of the next row. Avoids the
  // divisions in at(), which take a tenth of the time of a transform.
  WinogradTile after(WinogradTile tile, int64_t count = 1) const;
  // Returns the number of adjacent tiles in a row, starting at `tile`, that are within `tiles`; at most `most`.
  int64_t row_length(Range tiles, const WinogradTile& tile, int64_t most) const {
    return std::min({most, tiles.last - tile.index, columns_ - tile.column});
  }

  WinogradAxes is_short(const WinogradTile& tile) const {
    return {ends_short_.rows && tile.row == rows_ - 1, ends_short_.columns && tile.column == columns_ - 1};
  }
  // Returns, for each class of positions, the number of tiles before `tile` that have them.
  WinogradCounts counts_before(const WinogradTile& tile) const;

 private:
  WinogradShape shape_;
  int64_t images_, rows_, columns_;  // per image
  WinogradAxes ends_short_;          // whether the last row or column of an image is short
};

}  // namespace nestrt::kernels
