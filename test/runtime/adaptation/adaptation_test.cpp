// SPDX-License-Identifier: Apache-2.0
// Tests that a session replaces a schedule that no longer fits the board.
#include <catch2/catch.hpp>
#include <thread>

#include "nestrt/driver/schedule.h"
#include "test/runtime/support/random_network.h"
#include "test/runtime/support/virtual_board.h"
#include "test/support/plan/flat_costs.h"

namespace nestrt::test {
namespace {

constexpr int kMaxRuns = 100'000;

// Returns costs of 0.01 us on EVTA and 10 us on the CPU, so that every copy belongs on EVTA.
std::shared_ptr<const CostTable> costs_of(const Network& network, const Board& board) {
  return flat_costs(*network.plan, board.units, [](const UnitInfo& unit) { return unit.is_host ? 10 : 0.01; });
}

bool uses_other_units(const Session& session) {
  const Schedule schedule = session.schedule();
  return std::any_of(schedule.steps.begin(), schedule.steps.end(),
                     [&](const Step& step) { return schedule.lanes[step.lane].unit != 0; });
}

TEST_CASE("Failed units leave the schedule and return once they work") {
  const Quiet quiet;
  Board board;
  Network network(21);
  SessionOptions options;
  options.costs.table = costs_of(network, board);
  options.adaptation.drift = 1e12;            // ignores the real times of this machine
  options.costs.measure = Measuring::kNever;  // no trial of the schedule
  options.fault_tolerance.probe_interval = std::chrono::milliseconds(1);
  auto session = Session::create(network.plan, board.units, options);
  if (!session) FAIL(session.error().to_string());
  REQUIRE(uses_other_units(**session));
  for (const auto& faults : board.faults) {
    for (int run = 0; run < kMaxRuns; ++run) faults->next_run(evta::Fault::kDmaError);  // probes consume faults, too
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

// Runs until `done`, with pauses, because another thread computes schedules.
template <typename Done>
bool run_until(VirtualBoard& board, Done done) {
  for (int run = 0; run < kMaxRuns && !done(); ++run) {
    board.run();
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
  return done();
}

TEST_CASE("A schedule stays in use if times match its costs") {
  VirtualBoard board;
  REQUIRE(uses_other_units(*board.session));
  for (int run = 0; run < 200; ++run) board.run();
  CHECK(board.session->num_reschedules() == 0);
}

TEST_CASE("A schedule made from wrong costs is replaced after measurement") {
  VirtualBoard board;
  board.npu->microseconds = 100;
  CHECK(run_until(board, [&] { return board.session->num_reschedules() > 0; }));
  CHECK_FALSE(uses_other_units(*board.session));
}

TEST_CASE("A failed unit is probed long before the interval ends") {
  const Quiet quiet;
  VirtualBoard board;
  board.host->microseconds = board.npu->microseconds = 0;  // only the test advances the time
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
