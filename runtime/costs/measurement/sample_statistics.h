// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated measurements.
#pragma once

#include <vector>

namespace nestrt {

struct SampleStatistics {
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
  // Half the width of the 95 % confidence interval of the median. It is based on order statistics and thus assumes no
  // distribution (Conover, Practical Nonparametric Statistics, section 3.2). For fewer than six samples, the whole
  // range.
  double error = 0;
  int outliers = 0;  // more than three interquartile ranges beyond a quartile
};

// Requires: at least one sample.
SampleStatistics describe_samples(std::vector<double> samples);

}  // namespace nestrt
