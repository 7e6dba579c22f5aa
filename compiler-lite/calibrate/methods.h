// SPDX-License-Identifier: Apache-2.0
// Calibration methods: choose the exponent of a value from its statistics. Quantization is symmetric, with 8 bits and
// power-of-two scales. All functions are pure. Every method returns an exponent in [kMinExponent, kMaxExponent] that is
// not below the minmax exponent, since a smaller one would waste range. A value that is always zero is exact at any
// exponent; the result is then kExponentOfZero.
#pragma once

#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

inline constexpr int kMinExponent = -64, kMaxExponent = 64;
inline constexpr int kExponentOfZero = 7;
inline constexpr double kDefaultPercentile = 99.99;

// Returns the largest exponent at which rounding and clipping change no element by more than half a step.
int minmax_exponent(const ValueProfile& value);

// Applies the minmax rule to the smallest elements by magnitude, including zeros, that make up at least `percentile`
// per cent. The threshold is accurate to one bin. Returns minmax_exponent() if these elements are all zero.
// Requires: 0 < percentile <= 100.
int percentile_exponent(const ValueProfile& value, double percentile = kDefaultPercentile);

// Returns the exponent whose 128 levels lose the least information: the smallest Kullback-Leibler divergence between
// two distributions. The first is the histogram clipped to 2^(7-e), with clipped elements counted in the last bin. The
// second spreads the counts of each level evenly over its occupied bins (S. Migacz, 8-bit inference with TensorRT, GTC
// 2017). Zeros are exact at any exponent and are ignored.
int kl_exponent(const ValueProfile& value);

// Returns the exponent with the smallest expected squared error, assuming evenly distributed elements within bins and a
// range of [-127, 127] steps.
int mse_exponent(const ValueProfile& value);

// Returns the expected sum of squared errors that mse_exponent() minimises. Exact if a step is not smaller than a bin.
double squared_error(const ValueProfile& value, int exponent);

// `percentile` applies to kPercentile only.
int choose_exponent(CalibrationMethod method, const ValueProfile& value, double percentile = kDefaultPercentile);
// Chooses the exponents of all values by the profile's method.
void choose_exponents(QuantizationProfile& profile, double percentile = kDefaultPercentile);

}  // namespace nestrt::compiler
