// SPDX-License-Identifier: Apache-2.0
// The input rows, including padding, that a row of outputs reads. Used by convolutions of plain images with few
// channels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Consecutive rows of an image, starting with row `first`.
template <typename T>
struct ImageRows {
  const T* pixels = nullptr;   // of the first channel
  int64_t first = 0;           // row number at `pixels`
  int64_t channel_stride = 0;  // elements
};

// Copies the input rows for output row `row`, counted over depth and height: [channels][kernel depth][kernel
// height][length]. Elements outside the image are set to `zero`. Padding of the width may be negative, which skips
// columns.
template <typename T>
void copy_rows_under(const ConvGeometry& geometry, const ImageRows<T>& image, int64_t row, T zero, int64_t length,
                     T* to) {
  const auto& [d, h, w] = geometry.axes;
  const int64_t z = row / h.output, y = row % h.output;
  const int64_t skipped = std::clamp<int64_t>(-w.pad_begin, 0, w.input);
  const int64_t begin = std::clamp<int64_t>(w.pad_begin, 0, length);
  const int64_t end = std::clamp(length, begin, begin + w.input - skipped);
  for (int64_t c = 0; c < geometry.in_channels; ++c)
    for (int64_t kd = 0; kd < d.kernel; ++kd)
      for (int64_t kh = 0; kh < h.kernel; ++kh, to += length) {
        const int64_t iz = tap_position(d, z, kd), iy = tap_position(h, y, kh);
        const bool inside = (iz | iy) >= 0;
        std::fill(to, to + (inside ? begin : length), zero);
        if (!inside) continue;
        const T* const from = image.pixels + c * image.channel_stride + skipped;
        std::copy_n(from + (iz * h.input + iy - image.first) * w.input, end - begin, to + begin);
        std::fill(to + end, to + length, zero);
      }
}

}  // namespace nestrt::kernels
