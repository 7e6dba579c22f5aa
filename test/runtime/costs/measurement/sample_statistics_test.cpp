// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/measurement/sample_statistics.h"

#include <catch2/catch.hpp>

namespace nestrt::test {

TEST_CASE("Samples have a median, quartiles and outliers") {
  const SampleStatistics statistics = describe_samples({5, 1, 2, 3, 4, 100});
  CHECK(statistics.median == Approx(3.5));
  CHECK(statistics.first_quartile == Approx(2.25));
  CHECK(statistics.third_quartile == Approx(4.75));
  CHECK(statistics.outliers == 1);
  CHECK(describe_samples({7}).median == 7);
  CHECK(describe_samples({7}).error == 0);
  CHECK(describe_samples({1, 2}).median == Approx(1.5));
}

TEST_CASE("The error of a median is computed from order statistics") {
  // With a probability of 95 %, the median is between the 8th and the 18th of 25 samples.
  std::vector<double> samples;
  for (int i = 1; i <= 25; ++i) samples.push_back(i);
  CHECK(describe_samples(samples).error == 5);
  // With few samples, the error is their range.
  CHECK(describe_samples({1, 2, 9}).error == 7);
  // An outlier does not change the error.
  samples.back() = 1e6;
  CHECK(describe_samples(samples).error == 5);
}

}  // namespace nestrt::test
