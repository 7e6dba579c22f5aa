// SPDX-License-Identifier: Apache-2.0
// Winograd convolution with 3 x 3 kernels: y = A^T [(G g G^T) . (B^T d B)] A, where the term in brackets is summed over
// the channels. F(4 x 4, 3 x 3) computes a tile of 4 x 4 outputs from 6 x 6 inputs with 36 products for each pair of
// channels instead of 144. Its interpolation points 0, +-sqrt(1/2), +-sqrt(2) and infinity have smaller rounding errors
// than 0, +-1, +-2 (docs/concepts/numerics.md). F(2 x 2, 3 x 3), with the points 0, +-1 and infinity, needs 16 products
// and weights with 16 positions, which suits maps with few tiles. Source: A. Lavin, S. Gray, Fast Algorithms for
// Convolutional Neural Networks, 2015.
//
// F(3 x 3, 4 x 4), with the points and the matrix B of F(4 x 4, 3 x 3), is for kernels with four taps: 7 x 7 with
// stride 2 over images whose pixels are folded two by two into channels
// (kernels/conv/winograd/conv_stem_winograd16.cpp).
//
// With stride 2, two outputs along an axis are the sum of two terms: F(2, 2) of the even inputs with the outer taps,
// and the odd inputs times the middle tap. This needs 25 products instead of 36. The last two positions along an axis
// have the same weights.
//
// If the last tile along an axis has few outputs, it is a short tile: F(2, 3) at some of the points of F(4, 3), F(1, 3)
// at some of the points of F(2, 3), or with stride 2 the three products of one output. A short tile skips the other
// positions and uses the same weights; its input transform compensates for the different points.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

// The sizes of a tile along one axis.
struct WinogradShape {
  int64_t tile;                    // outputs
  int64_t side;                    // inputs, and also positions
  int64_t stride;                  // of the convolution
  int64_t weight_side;             // number of weight positions; all later positions share the last one
  int64_t short_tile = 0;          // outputs of a short tile
  uint32_t skipped_positions = 0;  // bit mask of positions that a short tile skips
  constexpr int64_t positions() const { return side * side; }
  constexpr int64_t weight_positions() const { return weight_side * weight_side; }
  constexpr bool skips(int64_t position) const { return (skipped_positions >> position & 1) != 0; }
};
inline constexpr WinogradShape kWinogradFour{4, 6, 1, 6, 2, 0b011000}, kWinogradTwo{2, 4, 1, 4, 1, 0b0100},
    kWinogradStrided{2, 5, 2, 4, 1, 0b10010}, kWinogradTaps{3, 6, 1, 6};

inline constexpr int64_t kWinogradTile = kWinogradFour.tile;
inline constexpr int64_t kWinogradSide = kWinogradFour.side;
inline constexpr int64_t kWinogradPositions = kWinogradFour.positions();  // maximum over all shapes

// A property of each axis: whether a tile is short, or whether short tiles skip a position.
struct WinogradAxes {
  bool rows = false, columns = false;
  constexpr size_t index() const { return (rows ? 2u : 0u) + (columns ? 1u : 0u); }
};
// Positions are classified by whether short tiles skip their row and their column.
inline constexpr size_t kWinogradClasses = 4;
// For each class, the number of tiles that have its positions.
using WinogradCounts = std::array<int64_t, kWinogradClasses>;

// The inputs of one tile in one block of 16 channels of a blocked16 tensor.
template <typename T>
struct WinogradWindow {
  const T* plane = nullptr;
  int64_t height = 0, width = 0;  // size of the plane
  int64_t y = 0, x = 0;           // position of the tile's first input
  T outside = 0;                  // value outside the plane
};

// The pixels of a window, in rows `row` elements apart. They are in place, or in `copy` if the window extends beyond
// the edge.
template <typename T>
struct WinogradPixelRows {
  const T* from;
  int64_t row;
};
template <typename T>
WinogradPixelRows<T> pixel_rows(const WinogradWindow<T>& window, T (&copy)[kWinogradPositions * kTileBlock],
                                int64_t side = kWinogradSide) {
  const int64_t end_y = window.y + side, end_x = window.x + side;
  if (window.y >= 0 && window.x >= 0 && end_y <= window.height && end_x <= window.width)
    return {window.plane + (window.y * window.width + window.x) * kTileBlock, window.width * kTileBlock};
  std::fill_n(copy, side * side * kTileBlock, window.outside);
  const int64_t first = std::max(window.x, int64_t{0}), last = std::min(end_x, window.width);
  for (int64_t y = std::max(window.y, int64_t{0}); y < std::min(end_y, window.height); ++y)
    if (first < last)
      std::copy_n(window.plane + (y * window.width + first) * kTileBlock, (last - first) * kTileBlock,
                  copy + ((y - window.y) * side + first - window.x) * kTileBlock);
  return {copy, side * kTileBlock};
}

// Pixels that an in-order core prefetches while it processes others, `row` and `column` elements apart.
template <typename T>
struct WinogradPrefetch {
  const T* from = nullptr;
  int64_t row = 0, column = 0;
};
// Returns the pixels of the window, shifted into the plane if it extends beyond the edge. If the plane is smaller than
// the window, returns a single pixel.
template <typename T>
WinogradPrefetch<T> prefetch_pixels(const WinogradWindow<T>& window, int64_t side = kWinogradSide) {
  if (window.height < side || window.width < side) return {window.plane};
  const int64_t y = std::clamp(window.y, int64_t{0}, window.height - side);
  const int64_t x = std::clamp(window.x, int64_t{0}, window.width - side);
  return {window.plane + (y * window.width + x) * kTileBlock, window.width * kTileBlock, kTileBlock};
}

// Each class of positions stores its tiles contiguously, so there is one address per class.
struct WinogradInput {
  WinogradWindow<float> window;
  WinogradPrefetch<float> prefetch;  // inputs of the next tile
  WinogradAxes is_short;             // whether the tile is short
  float* to[kWinogradClasses] = {};  // 16 floats for each position, `step` apart
  int64_t step = 0;
};

struct WinogradOutput {
  WinogradAxes is_short;
  const float* from[kWinogradClasses] = {};  // 16 floats for each position, `step` apart
  int64_t step = 0;
  float* to = nullptr;  // rows of pixels of 16 floats, `row` apart
  int64_t row = 0;
};

// Adjacent output pixels of one block.
struct WinogradPixels {
  const float* from = nullptr;
  int64_t count = 0;
  const float* bias = nullptr;      // 16, or null
  const float* residual = nullptr;  // laid out like output, or null
  float* output = nullptr;
  float low = 0, high = 0;  // bounds of outputs
};

// The input transform B^T d B and the output transform A^T m A for a shape. winograd_finish() applies bias, residual
// and bounds. Requires: aarch64.
struct WinogradTransforms {
  void (*input)(const WinogradInput& tile);
  void (*output)(const WinogradOutput& tile);
};
WinogradTransforms winograd_four();
WinogradTransforms winograd_two();
WinogradTransforms winograd_strided();
WinogradTransforms winograd_taps();
void winograd_finish(const WinogradPixels& pixels);

}  // namespace nestrt::kernels
