// A session makes another schedule where the one that it has is no longer right.
#include <catch2/catch.hpp>

#include "test/runtime/session/flat_costs.h"
#include "test/runtime/session/random_network.h"

namespace nestrt::test {
namespace {

constexpr int kMostRuns = 100'000;

// A hundredth of a microsecond on EVTA, ten on the CPU: every copy belongs on EVTA.
std::shared_ptr<const CostTable> costs_of(const Network& network, const Board& board) {
  return flat_costs(*network.plan, board.units, [](const UnitInfo& unit) { return unit.kind == "cpu" ? 10 : 0.01; });
}

bool uses_other_units(const Session& session) {
  const Schedule schedule = session.schedule();
  return std::any_of(schedule.steps.begin(), schedule.steps.end(),
                     [&](const Step& step) { return schedule.lanes[step.lane].unit != 0; });
}

TEST_CASE("Units that fail leave the schedule, and come back when they work") {
  const Quiet quiet;
  Board board;
  Network network(21);
  SessionOptions options;
  options.costs = costs_of(network, board);
  options.reschedule_drift = 1e12;  // not for the times that this machine needs
  options.measure = false;          // nor is the schedule tried
  options.probe_interval = std::chrono::milliseconds(1);
  auto session = Session::create(network.plan, board.units, options);
  if (!session) FAIL(session.error().to_string());
  REQUIRE(uses_other_units(**session));
  for (const auto& faults : board.faults) {
    for (int run = 0; run < kMostRuns; ++run) faults->next_run(evta::Fault::kDmaError);  // probes are runs too
  }
  const auto run_until = [&](auto done) {
    for (int run = 0; run < kMostRuns; ++run) {
      REQUIRE(network.run(**session).ok());
      REQUIRE(network.is_right());
      if (done()) return true;
    }
    return false;
  };
  CHECK(run_until([&] { return !uses_other_units(**session); }));
  CHECK((*session)->healed_branches() > 0);
  for (const auto& faults : board.faults) faults->forget();
  CHECK(run_until([&] { return uses_other_units(**session); }));
  CHECK((*session)->reschedules() >= 2);
}

TEST_CASE("A schedule made from wrong costs is made again from what was measured") {
  const Board board;
  Network network(22);
  SessionOptions options;
  options.costs = costs_of(network, board);  // no copy takes a hundredth of a microsecond
  auto session = Session::create(network.plan, board.units, options);
  REQUIRE(session);
  int run = 0;
  for (; run < kMostRuns && (*session)->reschedules() == 0; ++run) {
    REQUIRE(network.run(**session).ok());
    REQUIRE(network.is_right());
  }
  CHECK((*session)->reschedules() > 0);
}

}  // namespace
}  // namespace nestrt::test
