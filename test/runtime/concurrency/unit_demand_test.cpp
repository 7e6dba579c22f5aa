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

constexpr double kWanted[] = {1.0, 0.9};

// Users of the units that want so much, and run.
std::vector<std::unique_ptr<UnitDemand>> running(const UnitList& units, int count) {
  std::vector<std::unique_ptr<UnitDemand>> users;
  for (int i = 0; i < count; ++i) {
    users.push_back(std::make_unique<UnitDemand>(units));
    users.back()->wants(kWanted);
    users.back()->begin_run();
  }
  return users;
}

TEST_CASE("A schedule's shares are what it keeps units busy for, the host's by its threads") {
  Schedule schedule;
  schedule.lanes = {{0}, {0}, {1}};
  schedule.steps = {{0, {}, 0, 0, 0, 32, {}}, {1, {}, 0, 0, 2, 64, {}}, {2, {}, 0, 2, 0, 16, {}}};
  const UnitInfo units[] = {{"cpu", "cpu", "isa", 4, true}, {"npu", "npu", "one", 1}};
  CHECK(unit_shares(schedule, units) == std::vector<double>{0, 0});
  schedule.makespan_us = 128;
  CHECK(unit_shares(schedule, units) == std::vector<double>{0.5, 0.125});
}

TEST_CASE("Units are busy for a new session where several others run on them, and not where these only exist") {
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

TEST_CASE("A session sees that others have come and gone by the mean of its runs") {
  const UnitList units = two_units();
  UnitDemand user(units);
  const auto run_until_changed = [&] {
    const uint64_t before = user.changes();
    int runs = 0;
    for (; runs < 200 && user.changes() == before; ++runs) {
      user.begin_run();
      user.end_run();
    }
    return runs;
  };
  user.begin_run();
  user.end_run();
  CHECK(user.others().empty());
  auto others = running(units, 3);
  const int until_busy = run_until_changed();
  CHECK((until_busy > 3 && until_busy < 20));
  CHECK(user.others().size() == 2);
  others.pop_back();
  CHECK(run_until_changed() == 200);  // two others are enough to remain so
  others.clear();
  const int until_free = run_until_changed();
  CHECK((until_free > 3 && until_free < 40));
  CHECK(user.others().empty());
}

}  // namespace
}  // namespace nestrt::test
