// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/unit_health.h"

#include <catch2/catch.hpp>
#include <string>

#include "nestrt/log.h"
#include "test/runtime/support/virtual_units.h"
#include "test/support/process/quiet.h"

namespace nestrt::test {
namespace {

const Status kLate(Code::kDeadlineExceeded, "it is late");

UnitList one_unit() {
  return {std::make_shared<VirtualUnit>(UnitInfo{"npu", "npu0", "", 1, false}, std::make_shared<VirtualClock>(),
                                        std::make_shared<VirtualSpeed>())};
}

// Returns the number of steps that bypass the unit before one uses it.
int count_avoiding(UnitHealth& health) {
  int steps = 0;
  while (health.should_bypass(0)) ++steps;
  return steps;
}

TEST_CASE("Steps bypass a unit after a failure, and twice as many do after the next failure") {
  const UnitList units = one_unit();
  UnitHealth health(units);
  const Quiet quiet;
  CHECK(count_avoiding(health) == 0);
  health.record_missed_deadline(0, kLate);
  CHECK_FALSE(health.is_failing(0));
  CHECK(count_avoiding(health) == 32);
  CHECK(count_avoiding(health) == 0);
  health.record_failure(0, kLate);
  CHECK(health.is_failing(0));
  health.record_recovery(0);
  CHECK(count_avoiding(health) == 64);
  for (int i = 0; i < 100; ++i) health.record_missed_deadline(0, kLate);
  CHECK(count_avoiding(health) == 65'536);
}

TEST_CASE("No step bypasses a unit that is trusted again") {
  const UnitList units = one_unit();
  UnitHealth health(units);
  const Quiet quiet;
  health.record_missed_deadline(0, kLate);
  health.record_complete_run(0);
  CHECK(count_avoiding(health) == 0);
  health.record_missed_deadline(0, kLate);
  CHECK(count_avoiding(health) == 32);
}

// A periodic observer must notice that the unit recovered in between and must be probed again.
TEST_CASE("A recovery and another failure of a unit count as changes") {
  const UnitList units = one_unit();
  UnitHealth health(units);
  const Quiet quiet;
  health.record_failure(0, kLate);
  const uint64_t before = health.changes();
  health.record_failure(0, kLate);
  CHECK(health.changes() == before);
  health.record_recovery(0);
  health.record_failure(0, kLate);
  CHECK(health.changes() != before);
}

TEST_CASE("Only the first of a series of failures or missed deadlines is logged") {
  const UnitList units = one_unit();
  UnitHealth health(units);
  int lines = 0;
  set_log_hook([&](LogLevel, std::string_view) { ++lines; });
  for (int i = 0; i < 3; ++i) health.record_missed_deadline(0, kLate);
  CHECK(lines == 1);
  for (int i = 0; i < 3; ++i) health.record_failure(0, kLate);
  CHECK(lines == 2);
  health.record_recovery(0);
  health.record_failure(0, kLate);
  CHECK(lines == 3);
  set_log_hook({});
}

}  // namespace
}  // namespace nestrt::test
