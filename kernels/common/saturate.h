// Conversions from f32 that are defined for every value.
#pragma once

#include <limits>

namespace nestrt::kernels {

// x truncated towards zero, limited to the range of the integer type T; NaN gives 0.
template <typename T>
T saturate_cast(float x) {
  // Both limits are exact in f32: -2^k, and 2^k as one above the largest value.
  constexpr float kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr float kAbove = static_cast<float>(std::numeric_limits<T>::max() / 2 + 1) * 2.0f;
  if (!(x > kLow)) return x == x ? std::numeric_limits<T>::min() : T{0};
  return x >= kAbove ? std::numeric_limits<T>::max() : static_cast<T>(x);
}

}  // namespace nestrt::kernels
