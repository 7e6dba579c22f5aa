// SPDX-License-Identifier: Apache-2.0
// Converts YUV (ITU-R BT.601, limited range) to RGB in 16-bit fixed point with 6 fractional bits, for both the
// reference and the vector code. The factors are rounded to three digits as in OpenCV. Results differ from exact
// arithmetic by at most 1.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nestrt::kernels::yuv {

inline constexpr int kBits = 6;
// Shifted differences are multiplied by the factors below, which have 15 fractional bits. The factor for blue is halved
// because it would exceed 16 bits.
inline constexpr int kShift = 7, kBlueShift = 8;
inline constexpr int16_t kLuma = 19071;                    // 1.164 * 2^14
inline constexpr int16_t kRedV = 26149;                    // 1.596
inline constexpr int16_t kGreenU = 6406, kGreenV = 13320;  // 0.391 and 0.813
inline constexpr int16_t kBlueU = 16531;                   // 2.018 * 2^13
inline constexpr int kDarkest = 16, kNeutral = 128;

struct Pixel {
  uint8_t red, green, blue;
};

// Returns a * b, rounded, where b has 15 fractional bits.
constexpr int multiply(int a, int b) { return (a * b + (1 << 14)) >> 15; }

inline uint8_t to_byte(int value) { return static_cast<uint8_t>(std::clamp(value >> kBits, 0, 255)); }

inline Pixel to_rgb(int y, int u, int v) {
  const int luma = multiply((y - kDarkest) << kShift, kLuma) + (1 << (kBits - 1));
  const int du = (u - kNeutral) << kShift, dv = (v - kNeutral) << kShift;
  return {to_byte(luma + multiply(dv, kRedV)), to_byte(luma - (multiply(du, kGreenU) + multiply(dv, kGreenV))),
          to_byte(luma + multiply((u - kNeutral) << kBlueShift, kBlueU))};
}

}  // namespace nestrt::kernels::yuv
