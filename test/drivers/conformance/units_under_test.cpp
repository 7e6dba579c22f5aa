// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/conformance/units_under_test.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>

#include "nestrt/log.h"
#include "nestrt/open_units.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::test {
namespace {

// Returns the name of the current test case without kCasePrefix.
std::string current_case() {
  const std::string name = Catch::getResultCapture().getCurrentTestName();
  if (!name.starts_with(kCasePrefix))
    FAIL("'" << name << "' is not a case of the suite; expected a name that starts with '" << kCasePrefix << "'");
  return name.substr(kCasePrefix.size());
}

// Returns null if the case is not excluded.
const Exclusion* exclusion_of(const UnitUnderTest& row, std::string_view statement) {
  const auto found = std::ranges::find_if(row.exclusions, [&](const Exclusion& exclusion) {
    return std::ranges::find(exclusion.cases, statement) != exclusion.cases.end();
  });
  return found == row.exclusions.end() ? nullptr : &*found;
}

}  // namespace

UnitUnderTest evta_under_test(const evta::Configuration& configuration) {
  UnitUnderTest row;
  row.name = "evta " + std::string(configuration.name);
  row.copy_plan = [&configuration] { return evta::test::copy_plan(configuration); };
  row.network = [&configuration](int branches, uint32_t seed) {
    return evta::test::random_network(configuration, branches, seed);
  };
  row.damages = {
      {"constants in place of instructions",
       [](plan::Tables&, plan::Program& program) { program.segments[0] = program.segments[2]; }},
      {"a range for its results that is too short",
       [](plan::Tables&, plan::Program& program) { program.ranges[3].size -= 1; }},
  };
  return row;
}

std::vector<std::string_view> cases_that_stop_a_run() {
  return {"an executable that is submitted while it runs answers both submissions",
          "a running program is cancelled and the unit continues",
          "a queued program is cancelled and the one before it is not",
          "a cancellation of another generation has no effect",
          "a program with a waiting submitter is cancelled from another thread",
          "a reset ends running and queued programs before it returns",
          "a late completion does not reach the next generation",
          "the completion of a cancelled submission is signalled once",
          "a session cancels what its unit runs",
          "a deadline that passes during a run ends it and is not a failure of the unit",
          "a unit that misses its deadline has failed until a probe succeeds",
          "a unit that exceeds its limit has failed until a probe succeeds",
          "queueing time does not count towards a program's limit",
          "a run that missed a deadline accesses no memory afterwards",
          "a deadline that passes in the queue ends a program without results",
          "a session whose unit hangs meets its deadline",
          "a session whose deadline passes during a run ends and the unit has not failed",
          "running and queued programs end with their executables"};
}

TestedUnit::TestedUnit(const UnitUnderTest& row) : row_(row), opened_(row.open()) {
  REQUIRE(opened_.unit != nullptr);
  set_log_level(LogLevel::kError);
}

TestedUnit::~TestedUnit() { set_log_level(LogLevel::kWarning); }

UnitList TestedUnit::with_host() const {
  if (opened_.unit->info().is_host) return alone();
  auto units = open_units("cpu", {.num_threads = 1});
  if (!units) FAIL(units.error().to_string());
  units->push_back(opened_.unit);
  return *units;
}

std::vector<UnitList> TestedUnit::with_host_in_any_place() const {
  const UnitList units = with_host();
  return {units, UnitList(units.rbegin(), units.rend())};
}

FaultControl& TestedUnit::faults() const {
  if (opened_.faults == nullptr) FAIL("this unit has no fault injection; exclude it from the case and give the reason");
  return *opened_.faults;
}

uint64_t TestedUnit::submit_hanging(PreparedCopy& copy, const Submission& submission) const {
  faults().hang_next_run();
  const uint64_t generation = copy.submit(submission);
  await([this] { return opened_.faults->all_begun(); });
  return generation;
}

void for_every_unit(const std::function<void(TestedUnit&)>& body) {
  const std::string statement = current_case();
  for (const UnitUnderTest& row : units_under_test()) {
    DYNAMIC_SECTION(row.name) {
      if (const Exclusion* const exclusion = exclusion_of(row, statement)) {
        SUCCEED(exclusion->reason);
        std::cout << "excluded: " << row.name << " from '" << statement << "': " << exclusion->reason << std::endl;
      } else {
        TestedUnit tested(row);
        body(tested);
      }
    }
  }
}

void check_recovers_by_probe(TestedUnit& tested, PreparedCopy& copy) {
  copy.renew();
  const Status status = copy.run();
  CHECK((status.ok() ? copy.is_right() : status.code() == Code::kUnavailable && copy.is_unchanged()));
  CHECK(tested->probe().ok());
  check_runs(copy);
}

bool becomes(const std::function<bool()>& is_so) {
  const SteadyClock::time_point end = SteadyClock::now() + kLongEnough;
  while (!is_so()) {
    if (SteadyClock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

void await(const std::function<bool()>& is_so) {
  if (!becomes(is_so)) FAIL("the condition did not become true in time");
}

}  // namespace nestrt::test
