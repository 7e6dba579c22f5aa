// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nestrt::tools {
namespace {

double percentile(const std::vector<double>& sorted, size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

double mean_difference(const std::vector<double>& values) {
  double sum = 0;
  for (size_t i = 1; i < values.size(); ++i) sum += std::abs(values[i] - values[i - 1]);
  return values.size() > 1 ? sum / static_cast<double>(values.size() - 1) : 0;
}

}  // namespace

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  const double jitter = mean_difference(values);
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {values.front(), median, percentile(values, 90), percentile(values, 99), jitter};
}

}  // namespace nestrt::tools
