// SPDX-License-Identifier: Apache-2.0
// Signal-to-noise ratio of actual against expected values.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace nestrt::compiler {

// Accumulates over any number of tensors.
class SignalToNoise {
 public:
  // Requires: equal sizes.
  void add(std::span<const float> actual, std::span<const float> expected) {
    for (size_t i = 0; i < actual.size(); ++i) {
      const double error = double{actual[i]} - double{expected[i]};
      signal_ += double{expected[i]} * double{expected[i]};
      noise_ += error * error;
    }
  }

  // Returns 10 log10(sum of squares / sum of squared errors): infinity if nothing differs, minus infinity if a NaN or
  // infinity was added.
  double decibel() const {
    if (noise_ == 0) return std::numeric_limits<double>::infinity();
    const double ratio = signal_ / noise_;
    return std::isfinite(noise_) && ratio > 0 ? 10 * std::log10(ratio) : -std::numeric_limits<double>::infinity();
  }

 private:
  double signal_ = 0, noise_ = 0;
};

}  // namespace nestrt::compiler
