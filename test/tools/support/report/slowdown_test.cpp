// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/slowdown.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace nestrt::tools {
namespace {

// Times around `level` with occasional spikes, as on a shared machine.
std::vector<double> noisy_times(std::mt19937& random, double level, int count) {
  std::uniform_real_distribution<double> noise(0, 1);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(level * (1 + 0.05 * noise(random) + (noise(random) > 0.95 ? 1 : 0)));
  return times;
}

TEST_CASE("A slowdown larger than the noise is found, and its interval contains it") {
  std::mt19937 random(1);
  int covered = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto base = noisy_times(random, 2, 60), current = noisy_times(random, 2.2, 50);
    const Slowdown change = slowdown_of_runs(base, current);
    CHECK(change.low > 1.03);
    covered += change.low <= 1.1 && 1.1 <= change.high;
  }
  CHECK(covered >= 180);  // 95 % of 200 is 190; the deviation of that count is 3
}

TEST_CASE("Equal versions are rarely found to differ") {
  std::mt19937 random(2);
  int differing = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Slowdown change = slowdown_of_runs(noisy_times(random, 3, 40), noisy_times(random, 3, 40));
    differing += change.low > 1 || change.high < 1;
  }
  CHECK(differing <= 20);  // 5 % of 200 is 10; the deviation of that count is 3
}

TEST_CASE("Few runs give a wide interval that stays within their ratios") {
  const std::vector<double> base = {1, 2}, current = {3};
  const Slowdown change = slowdown_of_runs(base, current);
  CHECK(change.low == 1.5);
  CHECK(change.high == 3);
}

TEST_CASE("Pairs are compared by the geometric mean of their ratios with Student's interval") {
  const std::vector<double> equal = {1.1, 1.1, 1.1};
  CHECK(slowdown_of_pairs(equal).low == Approx(1.1));
  const std::vector<double> ratios = {0.5, 2};  // logarithms -ln 2 and ln 2, one degree of freedom
  const Slowdown change = slowdown_of_pairs(ratios);
  CHECK(change.ratio == Approx(1));
  CHECK(change.high == Approx(std::exp(12.706 * std::log(2))));
  CHECK(change.low == Approx(1 / change.high));
  CHECK(slowdown_of_pairs(std::vector<double>(40, 2.0)).high == Approx(2));
}

}  // namespace
}  // namespace nestrt::tools
