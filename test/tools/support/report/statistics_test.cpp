// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/statistics.h"

#include <catch2/catch.hpp>

namespace nestrt::tools {
namespace {

TEST_CASE("A summary has the nearest-rank percentiles") {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const Summary summary = summarize(values);
  CHECK(summary.min == 1);
  CHECK(summary.median == 50.5);
  CHECK(summary.p90 == 90);
  CHECK(summary.p99 == 99);
}

TEST_CASE("Jitter is the mean absolute difference between consecutive values") {
  CHECK(summarize({1, 3, 3, 0}).jitter == Approx(5.0 / 3));
  CHECK(summarize({2, 2, 2}).jitter == 0);
  CHECK(summarize({7}).jitter == 0);
}

TEST_CASE("A summary of few values stays within them") {
  const Summary one = summarize({7});
  CHECK(one.min == 7);
  CHECK(one.median == 7);
  CHECK(one.p90 == 7);
  CHECK(one.p99 == 7);
  const Summary three = summarize({3, 1, 2});
  CHECK(three.median == 2);
  CHECK(three.p90 == 3);
  CHECK(summarize({}).p99 == 0);
}

}  // namespace
}  // namespace nestrt::tools
