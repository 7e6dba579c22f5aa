// SPDX-License-Identifier: Apache-2.0
// Mean and variance of a range of numbers, in double precision.
#pragma once

#include <cstdint>

namespace nestrt::kernels {

struct Moments {
  double mean = 0;
  double variance = 0;  // population variance, not sample variance
};

// Uses two passes, because a single-pass variance of large, close numbers would suffer from cancellation. An empty
// range gives NaN.
inline Moments moments(const float* x, int64_t count) {
  Moments result;
  for (int64_t i = 0; i < count; ++i) result.mean += x[i];
  result.mean /= static_cast<double>(count);
  for (int64_t i = 0; i < count; ++i) {
    const double distance = x[i] - result.mean;
    result.variance += distance * distance;
  }
  result.variance /= static_cast<double>(count);
  return result;
}

}  // namespace nestrt::kernels
