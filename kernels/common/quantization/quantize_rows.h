// SPDX-License-Identifier: Apache-2.0
// Quantization of f32 to 8 bits, by vectors: with given parameters, or with parameters computed from the data (the
// definition of ops::DynamicQuantize).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/common/quantization/s8c_arithmetic.h"

namespace nestrt::kernels {

// The smallest and largest of some numbers and 0.
struct Extremes {
  float low = 0;
  float high = 0;

  void add(const Extremes& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// Returns the parameters of u8 with which 0 is a value and the extremes are in range.
inline s8c::Affine dynamic_parameters(const Extremes& extremes) {
  s8c::Affine result;
  result.scale = (extremes.high - extremes.low) / 255.0f;
  if (!(result.scale > 0)) result.scale = 1;
  const float zero = -extremes.low / result.scale;  // NaN if both are infinite
  result.zero_point = zero > 0 ? static_cast<int32_t>(std::nearbyint(std::min(zero, 255.0f))) : 0;
  return result;
}

// u8 values minus 128: the same real numbers in s8.
inline s8c::Affine in_s8(s8c::Affine u8) {
  u8.zero_point -= 128;
  return u8;
}

struct QuantizeRows {
  // Returns the extremes of `count` numbers; NaNs do not count.
  Extremes (*extremes)(const float* x, int64_t count);
  // Quantizes to s8: ties go to even, NaN to the zero point.
  void (*quantize)(const s8c::Affine& to, const float* x, int8_t* y, int64_t count);
  // The same, but adds 128 to every element, which makes it u8. `to` remains the quantization of s8.
  void (*quantize_u8)(const s8c::Affine& to, const float* x, uint8_t* y, int64_t count);
};
// Returns the functions for the current instruction set.
QuantizeRows quantize_rows();

}  // namespace nestrt::kernels
