// SPDX-License-Identifier: Apache-2.0
// Offsets of the inputs that adjacent outputs read under each tap.
#pragma once

#include <cstdint>

#include "kernels/common/framework/split.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Writes the offsets of `lanes` pixels within the plane of a channel, starting at the first pixel: [taps][lanes].
// Offsets are negative in the padding and beyond the last pixel.
inline void gather_offsets(const ConvGeometry& g, Range pixels, int64_t lanes, int64_t* offsets) {
  const auto& [d, h, w] = g.axes;
  for (int64_t kd = 0; kd < d.kernel; ++kd)
    for (int64_t kh = 0; kh < h.kernel; ++kh)
      for (int64_t kw = 0; kw < w.kernel; ++kw)
        for (int64_t i = 0; i < lanes; ++i) {
          const int64_t pixel = pixels.first + i, x = pixel % w.output, row = pixel / w.output;
          const int64_t iz = tap_position(d, row / h.output, kd), iy = tap_position(h, row % h.output, kh);
          const int64_t ix = tap_position(w, x, kw);
          const bool inside = pixel < pixels.last && (iz | iy | ix) >= 0;
          *offsets++ = inside ? (iz * h.input + iy) * w.input + ix : -1;
        }
}

}  // namespace nestrt::kernels
