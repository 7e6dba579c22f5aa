// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/probe_times.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInterval{160};
constexpr ProbeTimes::Time kStart{};

TEST_CASE("Delays between probes double up to the interval") {
  ProbeTimes times(1, kInterval);
  times.set_failing(0, true, kStart);
  ProbeTimes::Time now = kStart;
  for (const int wait : {10, 20, 40, 80, 160, 160}) {
    INFO(wait);
    CHECK(times.next() == now + milliseconds(wait));
    CHECK_FALSE(times.is_due(0, now + milliseconds(wait - 1)));
    now += milliseconds(wait);
    CHECK(times.is_due(0, now));
    times.record_probe(0, false, now);
  }
}

TEST_CASE("A working unit is not probed") {
  ProbeTimes times(2, kInterval);
  CHECK_FALSE(times.next());
  times.set_failing(1, true, kStart);
  times.set_failing(1, false, kStart + milliseconds(10));
  CHECK_FALSE(times.next());
  CHECK_FALSE(times.is_due(1, kStart + 2 * kInterval));
}

TEST_CASE("A known failure does not delay the next probe") {
  ProbeTimes times(1, kInterval);
  times.set_failing(0, true, kStart);
  times.set_failing(0, true, kStart + milliseconds(9));
  CHECK(times.next() == kStart + milliseconds(10));
}

TEST_CASE("The delay grows if a unit fails again soon, but not after a working interval") {
  ProbeTimes times(1, kInterval);
  times.set_failing(0, true, kStart);
  times.record_probe(0, true, kStart + milliseconds(10));
  const auto again = kStart + milliseconds(20);
  times.set_failing(0, true, again);
  CHECK(times.next() == again + milliseconds(20));
  times.set_failing(0, false, again + milliseconds(20));
  const auto later = again + milliseconds(20) + kInterval;
  times.set_failing(0, true, later);
  CHECK(times.next() == later + milliseconds(10));
}

TEST_CASE("The next probe is for the unit that is due first") {
  ProbeTimes times(2, kInterval);
  times.set_failing(1, true, kStart);
  times.set_failing(0, true, kStart + milliseconds(5));
  CHECK(times.next() == kStart + milliseconds(10));
  CHECK(times.is_due(1, kStart + milliseconds(10)));
  CHECK_FALSE(times.is_due(0, kStart + milliseconds(10)));
}

}  // namespace
}  // namespace nestrt
