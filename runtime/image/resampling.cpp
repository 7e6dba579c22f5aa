// SPDX-License-Identifier: Apache-2.0
#include "runtime/image/resampling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nestrt {
namespace {

// The input pixels of one output pixel: [first, last), around `centre`.
struct Window {
  double centre = 0;
  int first = 0, last = 0;
};

Window window_of(const ResamplingAxis& axis, int out, double scale, double support) {
  const double centre = (out + 0.5) * scale;
  return {centre, std::max(0, static_cast<int>(std::floor(centre - support + 0.5))),
          std::min(axis.in_size, static_cast<int>(std::floor(centre + support + 0.5)))};
}

}  // namespace

Resampling make_resampling(const ResamplingAxis& axis) {
  const double scale = static_cast<double>(axis.in_size) / axis.out_size;
  const double support = std::max(scale, 1.0);
  Resampling result;
  std::vector<Window> windows;
  for (int i = 0; i < axis.count; ++i) {
    windows.push_back(window_of(axis, axis.first + i, scale, support));
    result.taps = std::max(result.taps, windows.back().last - windows.back().first);
  }
  std::vector<double> factors;
  result.weights.resize(windows.size() * static_cast<size_t>(result.taps));
  for (size_t i = 0; i < windows.size(); ++i) {
    const Window& window = windows[i];
    factors.clear();
    double sum = 0;
    for (int in = window.first; in < window.last; ++in) {
      factors.push_back(std::max(0.0, 1.0 - std::abs((in - window.centre + 0.5) / support)));
      sum += factors.back();
    }
    result.firsts.push_back(std::min(window.first, axis.in_size - result.taps));
    int32_t* const weights =
        &result.weights[i * static_cast<size_t>(result.taps)] + window.first - result.firsts.back();
    for (size_t k = 0; k < factors.size(); ++k)
      weights[k] = static_cast<int32_t>(std::floor(0.5 + factors[k] / sum * (1 << kResamplingBits)));
  }
  return result;
}

// Positions are fractions with this denominator, so that the result does not depend on the processor's rounding.
Interpolation make_interpolation(const ResamplingAxis& axis) {
  constexpr int64_t kOne = 1 << 15;
  const int64_t denominator = 2 * int64_t{axis.out_size};
  Interpolation result;
  for (int out = axis.first; out < axis.first + axis.count; ++out) {
    const int64_t position = std::max<int64_t>(0, (2 * int64_t{out} + 1) * axis.in_size - axis.out_size);
    const int64_t first = std::min<int64_t>(position / denominator, axis.in_size - 1);
    const int64_t distance = first + 1 < axis.in_size ? position % denominator : 0;
    const int64_t weight = (2 * distance * kOne + denominator) / (2 * denominator);  // rounded
    result.firsts.push_back(static_cast<int32_t>(first));
    result.weights.push_back(static_cast<int16_t>(std::min(weight, kOne - 1)));
  }
  return result;
}

}  // namespace nestrt
