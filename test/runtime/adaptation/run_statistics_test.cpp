// SPDX-License-Identifier: Apache-2.0
// Tests the statistics of units and of the makespans of runs.
#include "runtime/adaptation/run_statistics.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace nestrt::test {
namespace {

// Returns statistics for two steps of unit 0, predicted at 10 and 30 us, and one of unit 1, predicted at 20 us.
RunStatistics statistics_of_two_units() {
  Schedule schedule;
  schedule.lanes = {{0}, {1}};
  schedule.steps.resize(3);
  schedule.steps[2].lane = 1;
  return {schedule, std::vector<double>{10, 30, 20}};
}

void add(RunStatistics& statistics, std::initializer_list<float> step_us, double makespan_us = 40) {
  std::ranges::copy(step_us, statistics.step_us().begin());
  statistics.end_run(makespan_us);
}

TEST_CASE("A unit's slowdown is computed over all of its steps") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 20; ++run) add(statistics, {30, 30, 10});
  CHECK(statistics.mean_slowdown(0) == Approx(1.5));
  CHECK(statistics.recent_slowdown(0) == Approx(1.5));
  CHECK(statistics.mean_slowdown(1) == Approx(0.5));
  CHECK(statistics.mean_slowdown(7) == 1);
  CHECK(statistics.deviation() == Approx(0.5));
}

TEST_CASE("Three runs detect a change of a unit's speed, and one does not") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 20; ++run) add(statistics, {10, 30, 20});
  for (int run = 0; run < 2; ++run) add(statistics, {10, 30, 40});
  CHECK_FALSE(statistics.has_changed(0.1));
  add(statistics, {10, 30, 40});
  CHECK(statistics.has_changed(0.1));
}

TEST_CASE("A few runs without noise detect a small change") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 5; ++run) add(statistics, {10, 30, 21});
  CHECK(statistics.has_changed(0.1));
  CHECK_FALSE(statistics.has_changed(0.4));
}

TEST_CASE("Constant noise is not a change of speed") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 30; ++run) {
    add(statistics, {10, 30, run % 2 == 0 ? 16.0f : 26.0f});
    CHECK_FALSE(statistics.has_changed(0.1));
  }
}

TEST_CASE("A unit's runs are less noisy than its steps") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 30; ++run) add(statistics, {10, 30, run % 2 == 0 ? 16.0f : 26.0f});
  CHECK(statistics.noise_of_steps(1) == Approx(statistics.noise(1)));
  CHECK(statistics.noise_of_steps(0) == 0);
  for (int run = 0; run < 30; ++run) add(statistics, {10, run % 2 == 0 ? 24.0f : 36.0f, 20});
  CHECK(statistics.noise_of_steps(0) == Approx(statistics.noise(0) * 40 / std::sqrt(1000)));
  CHECK(statistics.noise_of_steps(7) == 0);
}

TEST_CASE("A new schedule starts with the noise of the previous one") {
  const RunStatistics noisy = [] {
    RunStatistics statistics = statistics_of_two_units();
    for (int run = 0; run < 30; ++run) add(statistics, {10, 30, run % 2 == 0 ? 16.0f : 26.0f});
    return statistics;
  }();
  CHECK(noisy.noise(1) > 0.3);
  CHECK(noisy.noise(0) == 0);
  Schedule schedule;
  schedule.lanes = {{0}, {1}};
  schedule.steps.resize(2);
  schedule.steps[1].lane = 1;
  const std::vector<double> predicted{40, 20}, noise{noisy.noise(0), noisy.noise(1)};
  RunStatistics next(schedule, predicted, noise), unknowing(schedule, predicted);
  for (RunStatistics* const statistics : {&next, &unknowing})
    for (int run = 0; run < 3; ++run) add(*statistics, {40, 26});
  CHECK_FALSE(next.has_changed(0.1));
  CHECK(unknowing.has_changed(0.1));
}

TEST_CASE("An interruption hardly changes a mean") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 20; ++run) add(statistics, {10, 30, 20});
  add(statistics, {10'000, 30, 20});
  CHECK(statistics.mean_us(0) < 11);
}

TEST_CASE("Three runs that are longer or shorter than all previous ones reveal a change of makespans") {
  for (const double makespan_us : {50.0, 32.0}) {
    RunStatistics statistics = statistics_of_two_units();
    for (int run = 0; run < 40; ++run) add(statistics, {10, 30, 20}, run % 2 == 0 ? 38 : 42);
    for (int run = 0; run < 2; ++run) add(statistics, {10, 30, 20}, makespan_us);
    CHECK_FALSE(statistics.has_other_makespans(0.1));
    add(statistics, {10, 30, 20}, makespan_us);
    CHECK(statistics.has_other_makespans(0.1));
    CHECK_FALSE(statistics.has_other_makespans(0.4));
    CHECK(statistics.recent_makespan_us() == makespan_us);
    add(statistics, {10, 30, 20}, makespan_us);  // no new change
    CHECK_FALSE(statistics.has_other_makespans(0.1));
  }
}

TEST_CASE("A change of makespans is detected only after enough runs and if no earlier run had the same length") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 12; ++run) add(statistics, {10, 30, 20}, run == 5 ? 60 : 40);
  for (int run = 0; run < 3; ++run) add(statistics, {10, 30, 20}, 50);
  CHECK_FALSE(statistics.has_other_makespans(0.1));
  RunStatistics few = statistics_of_two_units();
  for (int run = 0; run < 14; ++run) add(few, {10, 30, 20}, run < 11 ? 40 : 50);
  CHECK_FALSE(few.has_other_makespans(0.1));
}

TEST_CASE("The makespan is the median of the last runs") {
  RunStatistics statistics = statistics_of_two_units();
  for (int run = 0; run < 30; ++run) add(statistics, {10, 30, 20}, run < 20 ? 40 : 50);
  add(statistics, {10, 30, 20}, 10'000);
  CHECK(statistics.makespan_us() == 50);
  CHECK(statistics.total_us() == 20 * 40 + 10 * 50 + 10'000);
}

}  // namespace
}  // namespace nestrt::test
