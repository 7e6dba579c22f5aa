// SPDX-License-Identifier: Apache-2.0
// Vectorized quantization of f32 to 8 bits, either with given parameters or with parameters computed from the data (as
// defined by ops::DynamicQuantize).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/common/quantization/s8c_arithmetic.h"

namespace nestrt::kernels {

// The smallest and largest of a set of numbers that includes 0.
struct Extremes {
  float low = 0;
  float high = 0;

  void add(const Extremes& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// Returns u8 parameters that represent 0 exactly and cover the extremes.
inline s8c::Affine dynamic_parameters(const Extremes& extremes) {
  s8c::Affine result;
  result.scale = (extremes.high - extremes.low) / 255.0f;
  if (!(result.scale > 0)) result.scale = 1;
  const float zero = -extremes.low / result.scale;  // NaN if both are infinite
  result.zero_point = zero > 0 ? static_cast<int32_t>(std::nearbyint(std::min(zero, 255.0f))) : 0;
  return result;
}

// Returns the s8 parameters that represent the same real numbers: values are lower by 128.
inline s8c::Affine in_s8(s8c::Affine u8) {
  u8.zero_point -= 128;
  return u8;
}

struct QuantizeRows {
  // Returns the extremes of `count` numbers, ignoring NaNs.
  Extremes (*extremes)(const float* x, int64_t count);
  // Quantizes to s8. Ties round to even, and NaN becomes the zero point.
  void (*quantize)(const s8c::Affine& to, const float* x, int8_t* y, int64_t count);
  // Does the same, but adds 128 to every element to obtain u8. `to` contains s8 parameters.
  void (*quantize_u8)(const s8c::Affine& to, const float* x, uint8_t* y, int64_t count);
};
// Returns the functions for the current instruction set.
QuantizeRows quantize_rows();

}  // namespace nestrt::kernels
