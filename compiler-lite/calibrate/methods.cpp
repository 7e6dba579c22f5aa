// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/methods.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestrt::compiler {
namespace {

constexpr size_t kLevels = 128;
// Replaces a probability of zero, for which the divergence would be infinite.
constexpr double kSmallestProbability = 1e-9;

bool is_zero(const ValueProfile& value) { return value.min == 0 && value.max == 0; }

// Returns the largest exponent at which elements of [min, max] are at most half a step from a level.
int covering_exponent(double min, double max) {
  int exponent = kMaxExponent;
  while (exponent > kMinExponent && (std::ldexp(max, exponent) > 127.5 || std::ldexp(-min, exponent) > 128.5))
    --exponent;
  return exponent;
}

// Returns the finest exponent that the histogram can resolve: one bin per step.
int finest_exponent(const ValueProfile& value) {
  return std::clamp(-value.magnitudes.bin_exponent, minmax_exponent(value), kMaxExponent);
}

// Returns the divergence of quantizing the first `bins` bins to kLevels levels. Requires: bins is a multiple of
// kLevels.
double divergence(const std::vector<uint64_t>& counts, size_t bins) {
  const auto count = [&](size_t i) { return i < counts.size() ? static_cast<double>(counts[i]) : 0.0; };
  double inside = 0, outside = 0;
  for (size_t i = 0; i < bins; ++i) inside += count(i);
  for (size_t i = bins; i < counts.size(); ++i) outside += count(i);
  const double total = inside + outside;
  double result = 0;
  for (size_t first = 0, width = bins / kLevels; first < bins; first += width) {
    double level = 0;
    int occupied = 0;
    for (size_t i = first; i < first + width; ++i) level += count(i), occupied += count(i) > 0;
    for (size_t i = first; i < first + width; ++i) {
      const double p = (count(i) + (i + 1 == bins ? outside : 0)) / total;
      const double q = count(i) > 0 ? level / occupied / inside : 0;
      if (p > 0) result += p * std::log(p / std::max(q, kSmallestProbability));
    }
  }
  return result;
}

}  // namespace

int minmax_exponent(const ValueProfile& value) {
  return is_zero(value) ? kExponentOfZero : covering_exponent(value.min, value.max);
}

int percentile_exponent(const ValueProfile& value, double percentile) {
  const double wanted = percentile / 100 * static_cast<double>(value.elements);
  double seen = static_cast<double>(value.zeros);
  if (is_zero(value) || seen >= wanted) return minmax_exponent(value);
  size_t bins = 0;
  while (seen < wanted && bins < value.magnitudes.counts.size())
    seen += static_cast<double>(value.magnitudes.counts[bins++]);
  const double threshold = static_cast<double>(bins) * value.magnitudes.bin_width();
  return covering_exponent(std::max<double>(value.min, -threshold), std::min<double>(value.max, threshold));
}

int kl_exponent(const ValueProfile& value) {
  const std::vector<uint64_t>& counts = value.magnitudes.counts;
  if (is_zero(value) || counts.size() <= kLevels) return minmax_exponent(value);
  size_t bins = kLevels;
  int exponent = -value.magnitudes.bin_exponent;
  for (; bins < counts.size(); bins *= 2) --exponent;
  int best = exponent;
  double smallest = std::numeric_limits<double>::infinity();
  for (; bins >= kLevels; bins /= 2, ++exponent) {
    const double loss = divergence(counts, bins);
    if (loss < smallest) smallest = loss, best = exponent;
  }
  return std::clamp(best, minmax_exponent(value), kMaxExponent);
}

double squared_error(const ValueProfile& value, int exponent) {
  // Half a bin never crosses the midpoint between two levels, so all of it rounds to the same level.
  const double step = std::ldexp(1.0, -exponent), half = value.magnitudes.bin_width() / 2;
  double result = 0;
  for (size_t i = 0; i < value.magnitudes.counts.size(); ++i) {
    const auto count = static_cast<double>(value.magnitudes.counts[i]);
    if (count == 0) continue;
    double error = half * half / 12;
    for (const double centre :
         {(2.0 * static_cast<double>(i) + 0.5) * half, (2.0 * static_cast<double>(i) + 1.5) * half}) {
      const double level = std::min(std::round(centre / step), 127.0) * step;
      error += (centre - level) * (centre - level) / 2;
    }
    result += count * error;
  }
  return result;
}

int mse_exponent(const ValueProfile& value) {
  if (is_zero(value)) return kExponentOfZero;
  int best = minmax_exponent(value);
  double smallest = squared_error(value, best);
  for (int exponent = best + 1; exponent <= finest_exponent(value); ++exponent) {
    const double error = squared_error(value, exponent);
    if (error < smallest) smallest = error, best = exponent;
  }
  return best;
}

int choose_exponent(CalibrationMethod method, const ValueProfile& value, double percentile) {
  switch (method) {
    case CalibrationMethod::kMinMax:
      return minmax_exponent(value);
    case CalibrationMethod::kPercentile:
      return percentile_exponent(value, percentile);
    case CalibrationMethod::kKl:
      return kl_exponent(value);
    case CalibrationMethod::kMse:
      return mse_exponent(value);
  }
  return minmax_exponent(value);
}

void choose_exponents(QuantizationProfile& profile, double percentile) {
  for (ValueProfile& value : profile.values) value.exponent = choose_exponent(profile.method, value, percentile);
}

}  // namespace nestrt::compiler
