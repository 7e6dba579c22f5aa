// The tiles of a Winograd convolution's outputs: row by row, image after image.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/framework/split.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/geometry.h"
#include "kernels/conv/winograd/winograd.h"

namespace nestrt::kernels {

struct WinogradTile {
  int64_t index;  // over all images
  int64_t image, row, column;
};

class WinogradTiles {
 public:
  WinogradTiles(const ConvGeometry& geometry, const WinogradShape& shape);

  const WinogradShape& shape() const { return shape_; }
  int64_t count() const { return images_ * rows_ * columns_; }  // of all images
  // Products of each pair of channels.
  int64_t products() const;

  // The tile, or where the one after the last would be.
  WinogradTile at(int64_t index) const;
  // The tile `count` later. Requires: no more than the row has. Without the divisions of at(), which take as long as a
  // tenth of a transform.
  WinogradTile after(WinogradTile tile, int64_t count = 1) const;
  // The tiles of `tiles` from `tile` on that lie side by side, at most `most`.
  int64_t row_length(Range tiles, const WinogradTile& tile, int64_t most) const {
    return std::min({most, tiles.last - tile.index, columns_ - tile.column});
  }

  WinogradAxes is_short(const WinogradTile& tile) const {
    return {ends_short_.rows && tile.row == rows_ - 1, ends_short_.columns && tile.column == columns_ - 1};
  }
  // Of each class of positions, the tiles before `tile` that have them.
  WinogradCounts counts_before(const WinogradTile& tile) const;

 private:
  WinogradShape shape_;
  int64_t images_, rows_, columns_;  // of an image
  WinogradAxes ends_short_;          // an image
};

}  // namespace nestrt::kernels
