// Winograd's convolution F(4 x 4, 3 x 3): a tile of 4 x 4 outputs from 6 x 6 inputs with 36 products for each pair of
// channels where the definition has 144. y = A^T [(G g G^T) . (B^T d B)] A, with sums over the channels in the
// brackets. Interpolation points 0, +-sqrt(1/2), +-sqrt(2) and infinity, which round less than 0, +-1, +-2
// (docs/numerics.md). Source: A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, 2015.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kernels/common/tile16.h"
#include "nestrt/packing.h"

namespace nestrt::kernels {

inline constexpr int64_t kWinogradTile = 4;  // outputs along an axis
inline constexpr int64_t kWinogradSide = 6;  // inputs along an axis
static_assert(kWinogradSide * kWinogradSide == kWinogradPositions);

// The inputs of one tile of one block of 16 channels, blocked16.
template <typename T>
struct WinogradWindow {
  const T* plane = nullptr;
  int64_t height = 0, width = 0;  // the plane's
  int64_t y = 0, x = 0;           // of the tile's first input
  T outside = 0;                  // what lies around the plane
};

// Its pixels, in rows that lie `row` elements apart: where they are, or in `copy` where it reaches over the edge.
template <typename T>
struct WinogradPixelRows {
  const T* from;
  int64_t row;
};
template <typename T>
WinogradPixelRows<T> pixel_rows(const WinogradWindow<T>& window, T (&copy)[kWinogradPositions * kTileBlock]) {
  const int64_t end_y = window.y + kWinogradSide, end_x = window.x + kWinogradSide;
  if (window.y >= 0 && window.x >= 0 && end_y <= window.height && end_x <= window.width)
    return {window.plane + (window.y * window.width + window.x) * kTileBlock, window.width * kTileBlock};
  std::fill(std::begin(copy), std::end(copy), window.outside);
  const int64_t first = std::max(window.x, int64_t{0}), last = std::min(end_x, window.width);
  for (int64_t y = std::max(window.y, int64_t{0}); y < std::min(end_y, window.height); ++y)
    if (first < last)
      std::copy_n(window.plane + (y * window.width + first) * kTileBlock, (last - first) * kTileBlock,
                  copy + ((y - window.y) * kWinogradSide + first - window.x) * kTileBlock);
  return {copy, kWinogradSide * kTileBlock};
}

struct WinogradInput {
  WinogradWindow<float> window;
  float* to = nullptr;  // 16 floats for each position, `step` apart
  int64_t step = 0;
};

struct WinogradOutput {
  const float* from = nullptr;  // 16 floats for each position, `step` apart
  int64_t step = 0;
  float* to = nullptr;  // 4 rows of 4 pixels of 16 floats, `row` apart
  int64_t row = 0;
};

// Pixels that lie side by side, of one block.
struct WinogradPixels {
  const float* from = nullptr;
  int64_t count = 0;
  const float* bias = nullptr;      // 16, or null
  const float* residual = nullptr;  // as output, or null
  float* output = nullptr;
  float low = 0, high = 0;  // of outputs
};

// B^T d B; A^T m A; bias, residual and bounds. Require: aarch64.
void winograd_input(const WinogradInput& tile);
void winograd_output(const WinogradOutput& tile);
void winograd_finish(const WinogradPixels& pixels);

}  // namespace nestrt::kernels
