// SPDX-License-Identifier: Apache-2.0
// Weights of separable bilinear resizing of 8-bit pixels.
//
// Resampling is antialiased and equals Pillow's Image.resize(size, BILINEAR), which torchvision also uses: when
// shrinking, the triangle filter widens by the factor. Results are rounded to 8 bits after each axis.
// Interpolation always uses the two nearest pixels of each axis, as OpenCV's INTER_LINEAR. Results are rounded to 8
// bits once, so they differ from OpenCV's by at most 1.
#pragma once

#include <cstdint>
#include <vector>

namespace nestrt {

// Weights are fixed-point numbers with this many fractional bits.
inline constexpr int kResamplingBits = 32 - 8 - 2;

// The resampling of one axis. Output pixel i is the weighted sum of the input pixels [firsts[i], firsts[i] + taps),
// which are all inside the input.
struct Resampling {
  int taps = 0;
  std::vector<int32_t> firsts;   // per output pixel
  std::vector<int32_t> weights;  // [outputs][taps]; the sum of `taps` weights is 1 << kResamplingBits up to rounding
};

struct ResamplingAxis {
  int in_size = 0;
  int out_size = 0;
  // The part of the output to compute.
  int first = 0;
  int count = 0;
};

// Pixels have half-pixel centres. Requires: sizes above 0; the part is inside the output.
Resampling make_resampling(const ResamplingAxis& axis);

// The interpolation of one axis: a pixel firsts[i] and its successor, which may be one beyond the input if its weight
// is 0.
struct Interpolation {
  std::vector<int32_t> firsts;   // per output pixel
  std::vector<int16_t> weights;  // of the successor, with 15 fractional bits
};

// As make_resampling().
Interpolation make_interpolation(const ResamplingAxis& axis);

// Interpolated values have this many fractional bits until they are rounded.
inline constexpr int kInterpolationBits = 7;

// Returns a value between `first` and `second`, both with kInterpolationBits fractional bits.
constexpr int interpolate(int first, int second, int weight) {
  return first + (((second - first) * weight + (1 << 14)) >> 15);
}

// Rounds an interpolated value.
constexpr uint8_t interpolated_pixel(int value) {
  return static_cast<uint8_t>((value + (1 << (kInterpolationBits - 1))) >> kInterpolationBits);
}

// Rounds a weighted sum that started at 1 << (kResamplingBits - 1), and clamps it to a pixel.
inline uint8_t resampled_pixel(int32_t sum) {
  const int32_t pixel = sum >> kResamplingBits;
  return static_cast<uint8_t>(pixel < 0 ? 0 : pixel > 255 ? 255 : pixel);
}

}  // namespace nestrt
