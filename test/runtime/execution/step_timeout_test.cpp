// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/step_timeout.h"

#include <catch2/catch.hpp>

namespace nestrt::test {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr UnitLimits kLimits{milliseconds(10'000), 8, milliseconds(20)};
constexpr std::chrono::nanoseconds kNoLimit = std::chrono::nanoseconds::max();
constexpr SteadyClock::time_point kNow{hours(1)};

TEST_CASE("The limit is a multiple of the measured time plus the slack") {
  CHECK(step_timeout({.unit_us = 3000}, kLimits, kNow, kNoDeadline).limit == milliseconds(44));
  CHECK(step_timeout({.unit_us = 0.5}, kLimits, kNow, kNoDeadline).limit == microseconds(20'004));
}

TEST_CASE("Only the timeout applies without a measured time, with factor 0, or if it is the smaller limit") {
  CHECK(step_timeout({}, kLimits, kNow, kNoDeadline).limit == kNoLimit);
  CHECK(step_timeout({.unit_us = 3000}, {milliseconds(10'000), 0, milliseconds(20)}, kNow, kNoDeadline).limit ==
        kNoLimit);
  CHECK(step_timeout({.unit_us = 1e7}, kLimits, kNow, kNoDeadline).limit == kNoLimit);
}

TEST_CASE("A unit is stopped early enough for the host to run the step and the rest, with a margin") {
  const StepTimes times{.unit_us = 1000, .host_us = 2000, .rest_us = 4000};
  const StepTimeout timeout = step_timeout(times, kLimits, kNow, kNow + milliseconds(20));
  CHECK(timeout.is_protected);
  CHECK(timeout.host_is_in_time);
  CHECK(timeout.deadline == kNow + microseconds(20'000 - 9000 - 500));
}

TEST_CASE("A unit gets half of the time limit if the host's time is unknown") {
  const StepTimeout timeout = step_timeout({.unit_us = 1000}, kLimits, kNow, kNow + milliseconds(20));
  CHECK(timeout.deadline == kNow + milliseconds(10));
  CHECK_FALSE(timeout.host_is_in_time);
}

TEST_CASE("A unit gets the whole time limit if it is too short for both the unit and the host") {
  const StepTimes times{.unit_us = 3000, .host_us = 4000};
  const StepTimeout timeout = step_timeout(times, kLimits, kNow, kNow + milliseconds(5));
  CHECK_FALSE(timeout.is_protected);
  CHECK(timeout.host_is_in_time);
  CHECK(timeout.deadline == kNow + milliseconds(5));
  CHECK_FALSE(step_timeout(times, kLimits, kNow, kNow + milliseconds(4)).host_is_in_time);
  const StepTimes predicted{.predicted_us = 3000, .host_us = 4000};
  CHECK_FALSE(step_timeout(predicted, kLimits, kNow, kNow + milliseconds(7)).is_protected);
}

TEST_CASE("A unit meets the deadline if its time and the host's remaining steps fit") {
  const auto is_in_time = [](const StepTimes& times, int ms) {
    return step_timeout(times, kLimits, kNow, kNow + milliseconds(ms)).unit_is_in_time;
  };
  const StepTimes measured{.unit_us = 3000, .host_us = 4000, .rest_us = 2000};
  CHECK(is_in_time(measured, 5));
  CHECK_FALSE(is_in_time(measured, 4));
  CHECK_FALSE(is_in_time({.predicted_us = 3000, .host_us = 100, .rest_us = 2000}, 4));
  CHECK(is_in_time({}, 1));
}

TEST_CASE("Deadlines in the past or far in the future are used unchanged") {
  const StepTimes times{.unit_us = 3000, .host_us = 4000};
  for (const Deadline deadline : {Deadline::min(), kNow, kNow + hours(48), kNoDeadline - hours(1), kNoDeadline})
    CHECK(step_timeout(times, kLimits, kNow, deadline).deadline == deadline);
}

}  // namespace
}  // namespace nestrt::test
