// A session makes another schedule where the one that it has is no longer right.
#include <catch2/catch.hpp>
#include <thread>

#include "nestrt/driver/schedule.h"
#include "test/runtime/support/random_network.h"
#include "test/runtime/support/virtual_board.h"
#include "test/support/plan/flat_costs.h"

namespace nestrt::test {
namespace {

constexpr int kMaxRuns = 100'000;

// A hundredth of a microsecond on EVTA, ten on the CPU: every copy belongs on EVTA.
std::shared_ptr<const CostTable> costs_of(const Network& network, const Board& board) {
  return flat_costs(*network.plan, board.units, [](const UnitInfo& unit) { return unit.is_host ? 10 : 0.01; });
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
  options.costs.table = costs_of(network, board);
  options.adaptation.drift = 1e12;            // not for the times that this machine needs
  options.costs.measure = Measuring::kNever;  // nor is the schedule tried
  options.fault_tolerance.probe_interval = std::chrono::milliseconds(1);
  auto session = Session::create(network.plan, board.units, options);
  if (!session) FAIL(session.error().to_string());
  REQUIRE(uses_other_units(**session));
  for (const auto& faults : board.faults) {
    for (int run = 0; run < kMaxRuns; ++run) faults->next_run(evta::Fault::kDmaError);  // probes are runs too
  }
  const auto run_until = [&](auto done) {
    for (int run = 0; run < kMaxRuns; ++run) {
      REQUIRE(network.run(**session).ok());
      REQUIRE(network.is_right());
      if (done()) return true;
    }
    return false;
  };
  CHECK(run_until([&] { return !uses_other_units(**session); }));
  CHECK((*session)->num_host_fallbacks() > 0);
  for (const auto& faults : board.faults) faults->forget();
  CHECK(run_until([&] { return uses_other_units(**session); }));
  CHECK((*session)->num_reschedules() >= 2);
}

// Schedules are made beside the runs.
template <typename Done>
bool run_until(VirtualBoard& board, Done done) {
  for (int run = 0; run < kMaxRuns && !done(); ++run) {
    board.run();
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
  return done();
}

TEST_CASE("A schedule stays where times are as its costs say") {
  VirtualBoard board;
  REQUIRE(uses_other_units(*board.session));
  for (int run = 0; run < 200; ++run) board.run();
  CHECK(board.session->num_reschedules() == 0);
}

TEST_CASE("A schedule made from wrong costs is made again from what was measured") {
  VirtualBoard board;
  board.npu->microseconds = 100;
  CHECK(run_until(board, [&] { return board.session->num_reschedules() > 0; }));
  CHECK_FALSE(uses_other_units(*board.session));
}

TEST_CASE("A unit that has failed is tried again long before the interval is over") {
  const Quiet quiet;
  VirtualBoard board;
  board.host->microseconds = board.npu->microseconds = 0;  // only the test lets time pass
  board.npu->fails = true;
  CHECK(run_until(board, [&] { return !uses_other_units(*board.session); }));
  for (int run = 0; run < 100; ++run) board.run();
  CHECK(board.npu->probes == 0);
  board.npu->fails = false;
  board.clock->advance(SessionOptions().fault_tolerance.probe_interval / 8);
  CHECK(run_until(board, [&] { return uses_other_units(*board.session); }));
  CHECK(board.npu->probes == 1);
}

}  // namespace
}  // namespace nestrt::test
