// What repeated measurements say.
#pragma once

#include <vector>

namespace nestrt {

struct SampleStatistics {
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
  // The 95 % confidence interval of the median reaches no further from it; from order statistics, so that nothing is
  // assumed of the distribution (Conover, Practical Nonparametric Statistics, section 3.2). Of fewer than six samples
  // their whole range.
  double error = 0;
  int outliers = 0;  // further beyond a quartile than three times the distance of the quartiles
};

// Requires: at least one sample.
SampleStatistics describe_samples(std::vector<double> samples);

}  // namespace nestrt
