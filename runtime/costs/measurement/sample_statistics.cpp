// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/measurement/sample_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nestrt {
namespace {

// Returns a quantile of the sorted values, interpolated linearly.
double quantile(const std::vector<double>& sorted, double part) {
  const double position = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - static_cast<double>(below));
}

}  // namespace

SampleStatistics describe_samples(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  SampleStatistics result;
  result.median = quantile(samples, 0.5);
  result.first_quartile = quantile(samples, 0.25);
  result.third_quartile = quantile(samples, 0.75);

  const auto count = static_cast<double>(samples.size());
  const double reach = 1.96 / 2 * std::sqrt(count);  // normal approximation of the binomial distribution
  const auto low = static_cast<size_t>(std::max(0.0, std::floor(count / 2 - reach)));
  const auto high = static_cast<size_t>(std::min(count, std::ceil(count / 2 + reach))) - 1;
  result.error = std::max(result.median - samples[low], samples[high] - result.median);

  const double margin = 3 * (result.third_quartile - result.first_quartile);
  result.outliers = static_cast<int>(std::count_if(samples.begin(), samples.end(), [&](double sample) {
    return sample < result.first_quartile - margin || sample > result.third_quartile + margin;
  }));
  return result;
}

}  // namespace nestrt
