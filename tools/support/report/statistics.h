// SPDX-License-Identifier: Apache-2.0
// Summary of repeated measurements.
#pragma once

#include <chrono>
#include <vector>

namespace nestrt::tools {

struct Summary {
  double min = 0;
  double median = 0;  // mean of the middle two if the count is even
  double p90 = 0;     // nearest rank: the smallest value that at least 90 % do not exceed
  double p99 = 0;
  double jitter = 0;  // mean difference between consecutive values
};

inline double milliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// Expects the values in the order of measurement. Returns zeros for an empty list.
Summary summarize(std::vector<double> values);

}  // namespace nestrt::tools
