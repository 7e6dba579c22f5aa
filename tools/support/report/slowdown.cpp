// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/slowdown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace nestrt::tools {
namespace {

constexpr size_t kMaxRuns = 1000;
constexpr double kNormalQuantile = 1.96;  // two-sided 95 %

// Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom.
constexpr std::array<double, 30> kStudentQuantiles = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120,  2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

std::vector<double> thin_out(std::span<const double> times) {
  const size_t count = std::min(times.size(), kMaxRuns);
  std::vector<double> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = times[i * times.size() / count];
  return result;
}

}  // namespace

Slowdown slowdown_of_runs(std::span<const double> base, std::span<const double> current) {
  const std::vector<double> before = thin_out(base), after = thin_out(current);
  std::vector<double> ratios;
  ratios.reserve(before.size() * after.size());
  for (const double a : after)
    for (const double b : before) ratios.push_back(a / b);
  std::ranges::sort(ratios);
  const auto pairs = static_cast<double>(ratios.size());
  const double deviation = std::sqrt(pairs * static_cast<double>(before.size() + after.size() + 1) / 12);
  const double margin = pairs / 2 - kNormalQuantile * deviation;
  const auto lowest = static_cast<size_t>(std::max(margin, 0.0));
  return {ratios[ratios.size() / 2], ratios[lowest], ratios[ratios.size() - 1 - lowest]};
}

Slowdown slowdown_of_pairs(std::span<const double> ratios) {
  const auto count = static_cast<double>(ratios.size());
  double mean = 0, variance = 0;
  for (const double ratio : ratios) mean += std::log(ratio) / count;
  for (const double ratio : ratios) variance += std::pow(std::log(ratio) - mean, 2) / (count - 1);
  const size_t freedom = ratios.size() - 1;
  const double quantile = freedom <= kStudentQuantiles.size() ? kStudentQuantiles[freedom - 1] : kNormalQuantile;
  const double half = quantile * std::sqrt(variance / count);
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

}  // namespace nestrt::tools
