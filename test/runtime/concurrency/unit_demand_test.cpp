// SPDX-License-Identifier: Apache-2.0
#include "runtime/concurrency/unit_demand.h"

#include <catch2/catch.hpp>

#include "nestrt/open_units.h"

namespace nestrt::test {
namespace {

UnitList two_units() {
  UnitList units = *open_units("cpu");
  units.push_back(open_units("cpu")->front());
  return units;
}

constexpr double kDemand[] = {1.0, 0.9};

// Returns `count` running sessions with the demand kDemand.
std::vector<std::unique_ptr<UnitDemand>> running(const UnitList& units, int count) {
  std::vector<std::unique_ptr<UnitDemand>> sessions;
  for (int i = 0; i < count; ++i) {
    sessions.push_back(std::make_unique<UnitDemand>(units));
    sessions.back()->set_demand(kDemand);
    sessions.back()->begin_run();
  }
  return sessions;
}

TEST_CASE("Unit shares are the busy time of each unit, weighted by threads on the host") {
  Schedule schedule;
  schedule.lanes = {{0}, {0}, {1}};
  schedule.steps = {{0, {}, 0, 0, 0, 32, {}}, {1, {}, 0, 0, 2, 64, {}}, {2, {}, 0, 2, 0, 16, {}}};
  const UnitInfo units[] = {{"cpu", "cpu", "isa", 4, true}, {"npu", "npu", "one", 1}};
  CHECK(unit_shares(schedule, units) == std::vector<double>{0, 0});
  schedule.makespan_us = 128;
  CHECK(unit_shares(schedule, units) == std::vector<double>{0.5, 0.125});
}

TEST_CASE("Units are contended for a new session only if several others are running on them") {
  const UnitList units = two_units();
  auto others = running(units, 2);
  CHECK(UnitDemand(units).others() == std::vector<double>{2, 1.8});
  CHECK(UnitDemand(two_units()).others().empty());
  CHECK(UnitDemand(units, true).others().empty());
  CHECK(UnitDemand({units[1]}).others() == std::vector<double>{1.8});
  others[0]->end_run();
  CHECK(UnitDemand(units).others().empty());
  others[0]->begin_run();
  others.pop_back();
  CHECK(UnitDemand(units).others().empty());
}

TEST_CASE("A session detects that other sessions start or end from the mean over its runs") {
  const UnitList units = two_units();
  UnitDemand session(units);
  const auto run_until_changed = [&] {
    const uint64_t before = session.changes();
    int runs = 0;
    for (; runs < 200 && session.changes() == before; ++runs) {
      session.begin_run();
      session.end_run();
    }
    return runs;
  };
  session.begin_run();
  session.end_run();
  CHECK(session.others().empty());
  auto others = running(units, 3);
  const int until_contended = run_until_changed();
  CHECK((until_contended > 3 && until_contended < 20));
  CHECK(session.others().size() == 2);
  others.pop_back();
  CHECK(run_until_changed() == 200);  // two others suffice to stay contended
  others.clear();
  const int until_free = run_until_changed();
  CHECK((until_free > 3 && until_free < 40));
  CHECK(session.others().empty());
}

}  // namespace
}  // namespace nestrt::test
