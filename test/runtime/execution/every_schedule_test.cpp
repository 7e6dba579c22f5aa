// SPDX-License-Identifier: Apache-2.0
// Tests many schedules of a few networks. One executor runs them all, so that a schedule needs no time beyond its runs.
// Under ThreadSanitizer this tests all synchronization between lanes.
#include <catch2/catch.hpp>
#include <random>
#include <thread>

#include "runtime/core/unit_infos.h"
#include "runtime/execution/check_schedule.h"
#include "runtime/execution/executor.h"
#include "runtime/plan/queries/run_memory.h"
#include "test/runtime/support/random_network.h"
#include "test/runtime/support/random_schedule.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using evta::Fault;

constexpr int kSchedulesOfNetwork = 100;

// The parts of a session, with a different schedule for each run.
class ScheduleRunner {
 public:
  ScheduleRunner(Network& network, Board& board)
      : network_(network),
        board_(board),
        executables_(network.plan, board.units),
        health_(board.units),
        executor_({}, health_) {
    const auto* const any = memory_plan_for(network.plan->tables(), plan::MemoryPlanKind::kAnySchedule);
    REQUIRE(memory_.allocate(*network.plan, *any, board.units).ok());
    REQUIRE(executor_.reserve_unit_lanes(2).ok());
    const auto in = network.input();
    const auto out = network.output();
    memory_.bind({&in, 1}, {&out, 1});
  }

  void prepare(const Schedule& schedule) {
    REQUIRE(check_schedule(*network_.plan, unit_infos(board_.units), schedule).ok());
    auto prepared = PreparedSchedule::create(*network_.plan, board_.units, schedule, executables_);
    REQUIRE(prepared);
    schedule_ = std::move(*prepared);
  }

  Status run(Deadline deadline = kNoDeadline, bool checks = false) {
    network_.clear();
    return executor_.run(*schedule_, {&memory_, deadline, 0, checks});
  }

  void expect_right(bool checks = false) {
    const Status status = run(kNoDeadline, checks);
    INFO(status.to_string());
    REQUIRE(status.ok());
    REQUIRE(network_.is_right());
  }

  // Cancels at a random time: the run is correct or returns kCancelled.
  void expect_cancellable(uint32_t later) {
    std::thread canceller([&] {
      for (uint32_t i = 0; i < later; ++i) std::this_thread::yield();
      executor_.cancel();
    });
    const Status status = run();
    canceller.join();
    INFO(status.to_string());
    REQUIRE((status.ok() ? network_.is_right() : status.code() == Code::kCancelled));
  }

  void expect_punctual() {
    const Status status = run(SteadyClock::now());
    INFO(status.to_string());
    REQUIRE(status.code() == Code::kDeadlineExceeded);
  }

  // Runs concurrently with another executor on the same units: only one of them gets lanes of the CPU's threads.
  void expect_right_with_rival(ScheduleRunner& rival) {
    Status status;
    std::thread other([&] { status = rival.run(); });
    expect_right();
    other.join();
    INFO(status.to_string());
    REQUIRE(status.ok());
    REQUIRE(rival.network_.is_right());
  }

  uint64_t num_host_fallbacks() const { return health_.num_host_fallbacks(); }

  // Makes failed units work again.
  void repair() {
    for (size_t unit = 1; unit < board_.units.size(); ++unit) {
      board_.faults[unit - 1]->forget();
      if (!health_.is_failing(static_cast<uint32_t>(unit))) continue;
      for (int attempt = 0; attempt < 3 && !board_.units[unit]->probe().ok(); ++attempt) {
      }
      health_.record_recovery(static_cast<uint32_t>(unit));
    }
  }

 private:
  Network& network_;
  Board& board_;
  Executables executables_;
  UnitHealth health_;
  Executor executor_;
  RunMemory memory_;
  std::unique_ptr<PreparedSchedule> schedule_;
};

// Checks that a run is correct although units may fail.
void run_with_faults(ScheduleRunner& runner, Board& board, std::mt19937& random) {
  const Fault kinds[] = {Fault::kDmaError, Fault::kWrongData, Fault::kEarly};
  for (const auto& faults : board.faults) {
    for (uint32_t good = random() % 3; good > 0; --good) faults->next_run(Fault::kNone);
    faults->next_run(kinds[random() % std::size(kinds)]);
  }
  runner.expect_right(true);
  runner.repair();
}

// Disturbs the runner between two correct runs, both of which must succeed.
void disturb(ScheduleRunner& runner, ScheduleRunner& rival, Board& board, std::mt19937& random) {
  switch (random() % 16) {
    case 0:
      return run_with_faults(runner, board, random);
    case 1:
      return runner.expect_cancellable(random() % 32);
    case 2:
      return runner.expect_punctual();
    case 3:
      return std::this_thread::sleep_for(std::chrono::microseconds(200));  // lets the lanes fall asleep
    case 4:
      return runner.expect_right_with_rival(rival);
    default:
      return;
  }
}

TEST_CASE("Every schedule equals the CPU alone bit for bit, regardless of previous runs") {
  const Quiet quiet;
  Board board;
  std::mt19937 random(1);
  uint64_t host_fallbacks = 0;
  for (int left = by_level(200, 400, 100'000), seed = 0; left > 0; left -= kSchedulesOfNetwork, ++seed) {
    Network network(static_cast<uint32_t>(seed)), other(static_cast<uint32_t>(seed) + 1'000'000);
    ScheduleRunner runner(network, board), rival(other, board);
    rival.prepare(random_schedule(*other.plan, random));
    for (int i = 0; i < kSchedulesOfNetwork; ++i) {
      runner.prepare(any_random_schedule(*network.plan, random));
      runner.expect_right();
      disturb(runner, rival, board, random);
      runner.expect_right();
    }
    host_fallbacks += runner.num_host_fallbacks();
  }
  CHECK(host_fallbacks > 0);
}

}  // namespace
}  // namespace nestrt::test
