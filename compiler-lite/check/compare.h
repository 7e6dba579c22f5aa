// SPDX-License-Identifier: Apache-2.0
// Compares an actual tensor with the expected one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nestrt/result.h"
#include "nestrt/tensor.h"

namespace nestrt::compiler {

// Equal NaNs and equal infinities count as equal. A NaN or infinity on one side counts as an infinite difference.
struct Difference {
  double max_absolute = 0;  // largest |actual - expected|
  double largest = 0;       // largest finite |expected|
  int64_t at = 0;           // row-major index of the largest difference
  int64_t elements = 0;
  int64_t elements_equal = 0;
  int64_t numbers = 0;        // elements that are not NaN on both sides
  int64_t rows = 0;           // vectors along the class axis: the last axis longer than 1
  int64_t rows_agreeing = 0;  // rows without NaN whose largest element has the same index
  int64_t actual_top = 0;     // index of the largest element in the first row; -1 if the row contains NaN
  int64_t expected_top = 0;
  // Step between possible values of a quantized tensor. Differences of one step are ignored because roundings may
  // differ. Roundings accumulate in a network, so differences up to kMaxSteps are also ignored if the overall noise is
  // low.
  double step = 0;
  bool integers = false;  // 32-bit or 64-bit integers, or booleans; without a step, they must be equal
  // Sums over all elements: squares of the expected values, of the differences and of the actual values; products of
  // expected and actual values.
  double signal = 0, noise = 0, power = 0, product = 0;

  // Returns max_absolute as a fraction of the largest element, which suits probabilities and logits.
  double relative() const;
  // `absolute`: differences up to this value are ignored, even for small elements.
  bool within(double tolerance, double absolute = 0) const {
    if (integers && step == 0) return max_absolute == 0;
    if (max_absolute <= kMaxSteps * step && decibel() >= kDecibelOfSteps) return true;
    return max_absolute <= std::max({tolerance * largest, absolute, step * (1 + kOfStep)}) * (1 + kNoise) + kNoise;
  }
  // Returns true if all elements are NaN on both sides, for example because an input contains NaNs. Any two networks
  // would agree then.
  bool all_nan() const { return elements > 0 && numbers == 0; }
  // Returns 10 log10(signal / noise), infinite if nothing differs.
  double decibel() const;
  // Returns the cosine similarity: 1 for vectors in the same direction.
  double cosine() const;
  // Merges the difference of the same output in another run: takes the maxima and adds the sums.
  void add(const Difference& other);

  static constexpr double kMaxSteps = 16, kDecibelOfSteps = 30;
  // Tolerance as a fraction of a step: both values are multiples of it, up to 255 steps, rounded to 24 bits.
  static constexpr double kOfStep = 1e-4;
  static constexpr double kNoise = 1e-7;  // a tensor of zeros has no scale
};

// Returns the length of a row as Difference::rows counts them.
int64_t row_length(const Shape& shape);

// Errors: kInvalidArgument if types or element counts differ.
Result<Difference> compare(const ConstTensorView& actual, const ConstTensorView& expected);

}  // namespace nestrt::compiler
