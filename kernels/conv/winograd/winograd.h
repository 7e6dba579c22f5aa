// Winograd's convolution of 3 x 3: y = A^T [(G g G^T) . (B^T d B)] A, with sums over the channels in the brackets.
// F(4 x 4, 3 x 3) takes a tile of 4 x 4 outputs from 6 x 6 inputs with 36 products for each pair of channels where the
// definition has 144; its interpolation points 0, +-sqrt(1/2), +-sqrt(2) and infinity round less than 0, +-1, +-2
// (docs/numerics.md). F(2 x 2, 3 x 3), with the points 0, +-1 and infinity, takes 16 products instead of 36, and
// weights of 16 positions instead of 36: for maps of few tiles. Source: A. Lavin, S. Gray, Fast Algorithms for
// Convolutional Neural Networks, 2015.
//
// F(3 x 3, 4 x 4), with the points of F(4 x 4, 3 x 3) and its B, is for kernels of four taps: those of 7 x 7 with
// stride 2 over images whose pixels are folded two by two into channels
// (kernels/conv/winograd/conv_stem_winograd16.cpp).
//
// With stride 2 two outputs along an axis are those of the even inputs with the outer taps, F(2, 2), and those of the
// odd inputs with the middle tap: 25 products instead of 36, whose last two positions along an axis have the same
// weights.
//
// Where an axis ends with a tile of which few outputs exist, that tile is a short one: F(2, 3) at some of the points of
// F(4, 3), F(1, 3) at those of F(2, 3), and with stride 2 the three products of one output. It goes without the other
// positions, and takes the same weights: what belongs to its points otherwise is in the transform of its inputs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

// Along an axis.
struct WinogradShape {
  int64_t tile;                // outputs
  int64_t side;                // inputs, and positions
  int64_t stride;              // of the convolution
  int64_t weight_side;         // positions of weights: the last one's are those of all that follow, too
  int64_t short_tile = 0;      // outputs of a short tile
  uint32_t spared_places = 0;  // positions that it goes without, a bit each
  constexpr int64_t positions() const { return side * side; }
  constexpr int64_t weight_positions() const { return weight_side * weight_side; }
  constexpr bool spares(int64_t place) const { return (spared_places >> place & 1) != 0; }
};
inline constexpr WinogradShape kWinogradFour{4, 6, 1, 6, 2, 0b011000}, kWinogradTwo{2, 4, 1, 4, 1, 0b0100},
    kWinogradStrided{2, 5, 2, 4, 1, 0b10010}, kWinogradTaps{3, 6, 1, 6};

inline constexpr int64_t kWinogradTile = kWinogradFour.tile;
inline constexpr int64_t kWinogradSide = kWinogradFour.side;
inline constexpr int64_t kWinogradPositions = kWinogradFour.positions();  // of all shapes the most

// Along which axes something holds: that a tile is short, that a position is one which short tiles go without.
struct WinogradAxes {
  bool rows = false, columns = false;
  constexpr size_t index() const { return (rows ? 2u : 0u) + (columns ? 1u : 0u); }
};
// The classes of positions.
inline constexpr size_t kWinogradClasses = 4;
// Of each class, how many tiles have its positions.
using WinogradCounts = std::array<int64_t, kWinogradClasses>;

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

// Pixels, `row` and `column` elements apart, that an in-order core asks memory for while it works on others.
template <typename T>
struct WinogradAhead {
  const T* from = nullptr;
  int64_t row = 0, column = 0;
};
// Those of the window; where it reaches over the plane's edge, others of the plane. Of a plane smaller than the window
// but one.
template <typename T>
WinogradAhead<T> pixels_ahead(const WinogradWindow<T>& window, int64_t side = kWinogradSide) {
  if (window.height < side || window.width < side) return {window.plane};
  const int64_t y = std::clamp(window.y, int64_t{0}, window.height - side);
  const int64_t x = std::clamp(window.x, int64_t{0}, window.width - side);
  return {window.plane + (y * window.width + x) * kTileBlock, window.width * kTileBlock, kTileBlock};
}

// Of each class of positions, the tiles that have them lie one after the other: hence an address for each.
struct WinogradInput {
  WinogradWindow<float> window;
  WinogradAhead<float> ahead;        // of the next tile
  WinogradAxes is_short;             // the tile
  float* to[kWinogradClasses] = {};  // 16 floats for each position, `step` apart
  int64_t step = 0;
};

struct WinogradOutput {
  WinogradAxes is_short;
  const float* from[kWinogradClasses] = {};  // 16 floats for each position, `step` apart
  int64_t step = 0;
  float* to = nullptr;  // a tile's rows of pixels of 16 floats, `row` apart
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

// B^T d B and A^T m A of a shape; bias, residual and bounds. Require: aarch64.
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
