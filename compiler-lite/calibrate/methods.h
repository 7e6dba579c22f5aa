// From what calibration saw of a value to the exponent that it is quantized with: powers of two only, 8 bits,
// symmetric. Pure functions. Every method returns an exponent of [kMinExponent, kMaxExponent], never below the minmax
// exponent, which would only waste range; for a value that was always zero, which any exponent represents,
// kExponentOfZero.
#pragma once

#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

inline constexpr int kMinExponent = -64, kMaxExponent = 64;
inline constexpr int kExponentOfZero = 7;
inline constexpr double kDefaultPercentile = 99.99;

// The largest exponent at which rounding and clipping move no element by more than half a step.
int minmax_exponent(const ValueProfile& value);

// The same for the smallest share of elements, in per cent and by magnitude, zeros included, that is at least
// `percentile`; the magnitude is known to a bin. minmax_exponent() where those are all zero.
// Requires: 0 < percentile <= 100.
int percentile_exponent(const ValueProfile& value, double percentile = kDefaultPercentile);

// The exponent whose 128 levels lose the least information: Kullback-Leibler divergence between the histogram clipped
// to 2^(7-e), what lies beyond counted in the last bin, and the same spread evenly over the occupied bins of each level
// (S. Migacz, 8-bit inference with TensorRT, GTC 2017). Zeros are exact at any exponent and left out.
int kl_exponent(const ValueProfile& value);

// The exponent with the smallest expected squared error, elements spread evenly over their bins. The range is taken to
// be [-127, 127] steps.
int mse_exponent(const ValueProfile& value);

// Expected sum of squared errors at `exponent`, as mse_exponent() counts it. Exact while a step is no smaller than a
// bin.
double squared_error(const ValueProfile& value, int exponent);

// `percentile` matters to kPercentile alone.
int choose_exponent(CalibrationMethod method, const ValueProfile& value, double percentile = kDefaultPercentile);
// The exponents of all values, by the profile's method.
void choose_exponents(QuantizationProfile& profile, double percentile = kDefaultPercentile);

}  // namespace nestrt::compiler
