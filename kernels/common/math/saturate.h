// SPDX-License-Identifier: Apache-2.0
// Conversions and products that saturate instead of overflowing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace nestrt::kernels {

// Truncates x towards zero and clamps it to the range of the integer type T. NaN gives 0.
template <typename T>
T saturate_cast(float x) {
  // Both limits are powers of two and exact in f32. The upper one is one above the largest value.
  constexpr float kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr float kAbove = static_cast<float>(std::numeric_limits<T>::max() / 2 + 1) * 2.0f;
  if (!(x > kLow)) return x == x ? std::numeric_limits<T>::min() : T{0};
  return x >= kAbove ? std::numeric_limits<T>::max() : static_cast<T>(x);
}

// Returns the size in bytes of `rows` times `length` elements, or SIZE_MAX on overflow. A plan may contain dimensions
// that no machine supports; allocating SIZE_MAX bytes then fails. Requires: no argument is negative.
inline size_t saturated_bytes(int64_t rows, int64_t length, size_t element_bytes) {
  size_t bytes = 0;
  const bool overflow = __builtin_mul_overflow(static_cast<size_t>(rows), static_cast<size_t>(length), &bytes) ||
                        __builtin_mul_overflow(bytes, element_bytes, &bytes);
  return overflow ? std::numeric_limits<size_t>::max() : bytes;
}

}  // namespace nestrt::kernels
