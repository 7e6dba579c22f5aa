// How far a tensor is from what it should be.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nestrt/result.h"
#include "nestrt/tensor.h"

namespace nestrt::compiler {

// Equal NaNs and equal infinities count as no difference; one alone as an infinite one.
struct Difference {
  double max_absolute = 0;  // largest |actual - expected|
  double largest = 0;       // largest finite |expected|
  int64_t at = 0;           // row-major index of the largest difference
  int64_t elements = 0;
  int64_t elements_equal = 0;
  int64_t numbers = 0;        // elements of which one at least was expected or came as a number
  int64_t rows = 0;           // vectors along the class axis: the last that is longer than 1
  int64_t rows_agreeing = 0;  // those whose largest element is in the same place, and that are numbers
  int64_t actual_top = 0;     // place of the largest element in the first row; -1: not all are numbers
  int64_t expected_top = 0;
  // How far apart the possible values of a quantized tensor are. One step of difference is none, as roundings may
  // differ, nor are up to kMaxSteps where they are little noise: through a network they add up.
  double step = 0;
  // Sums over the elements: of the squares of what was expected, of the differences and of what came; of the products
  // of what was expected and what came.
  double signal = 0, noise = 0, power = 0, product = 0;

  // max_absolute as a share of the largest element: one figure for probabilities and logits alike.
  double relative() const;
  // `absolute`: differences up to it are none, however small the elements are.
  bool within(double tolerance, double absolute = 0) const {
    if (max_absolute <= kMaxSteps * step && decibel() >= kDecibelOfSteps) return true;
    return max_absolute <= std::max({tolerance * largest, absolute, step * (1 + kOfStep)}) * (1 + kNoise) + kNoise;
  }
  // Whether all elements are NaN here and there, as NaNs among the inputs make them: any two networks agree in that.
  bool all_nan() const { return elements > 0 && numbers == 0; }
  // 10 log10(signal / noise): infinite where nothing differs.
  double decibel() const;
  // 1 where both point the same way, whatever their lengths.
  double cosine() const;
  // The same output of another run too: the larger differences, the sums of the rest.
  void add(const Difference& other);

  static constexpr double kMaxSteps = 16, kDecibelOfSteps = 30;
  // Both are multiples of a step, up to 255 of it, rounded to 24 bits.
  static constexpr double kOfStep = 1e-4;
  static constexpr double kNoise = 1e-7;  // tensors of zeros have no scale of their own
};

// Elements of a vector along the class axis, as Difference counts rows.
int64_t row_length(const Shape& shape);

// Errors: kInvalidArgument where the types or the numbers of elements differ.
Result<Difference> compare(const ConstTensorView& actual, const ConstTensorView& expected);

}  // namespace nestrt::compiler
