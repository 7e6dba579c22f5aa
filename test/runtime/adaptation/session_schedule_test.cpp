// SPDX-License-Identifier: Apache-2.0
// Tests schedules with lanes. Wherever steps run, the results equal those of the CPU, or the run returns an error.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <deque>
#include <random>
#include <thread>

#include "test/runtime/support/random_network.h"
#include "test/runtime/support/random_schedule.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/process/thread_states.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using evta::Fault;

constexpr std::chrono::milliseconds kUnitTimeout(20), kNoTimeout(600'000);

std::unique_ptr<Session> open(const Network& network, const UnitList& units, const Schedule& schedule,
                              SessionOptions options = {}) {
  options.fixed_schedule = std::make_shared<const Schedule>(schedule);
  auto session = Session::create(network.plan, units, options);
  if (!session) FAIL(session.error().to_string());
  return std::move(*session);
}

TEST_CASE("A session runs any schedule repeatedly") {
  const Board board;
  std::mt19937 random(1);
  for (int i = by_level(5, 30, 300); i > 0; --i) {
    Network network(static_cast<uint32_t>(i));
    SessionOptions options;
    options.fault_tolerance.timeout_factor = 0;  // independent of the speed of the machine
    const auto session = open(network, board.units, random_schedule(*network.plan, random), options);
    for (int run = 0; run < 3; ++run) {
      REQUIRE(network.run(*session).ok());
      REQUIRE(network.is_right());
    }
    CHECK(session->num_host_fallbacks() == 0);
  }
}

TEST_CASE("Results equal the CPU's bit for bit despite any unit fault") {
  const Quiet quiet;
  Board board;
  std::mt19937 random(2);
  const Fault kinds[] = {Fault::kHang,      Fault::kLate,     Fault::kEarly,
                         Fault::kWrongData, Fault::kDmaError, Fault::kLostInterrupt};
  const int runs = by_level(10, 60, 10'000);
  uint64_t host_fallbacks = 0;
  for (int i = 0; i < runs; ++i) {
    Network network(static_cast<uint32_t>(i));
    SessionOptions options;
    options.fault_tolerance.unit_timeout = kUnitTimeout;
    options.fault_tolerance.check_every = 1;  // a unit cannot detect wrong results itself
    const auto session = open(network, board.units, random_schedule(*network.plan, random), options);
    for (const auto& faults : board.faults) {
      for (uint32_t good = random() % 3; good > 0; --good) faults->next_run(Fault::kNone);
      faults->next_run(kinds[random() % std::size(kinds)]);
      if (random() % 8 == 0) faults->fail_resets(1);
    }
    for (int run = 0; run < 2; ++run) {
      const Status status = network.run(*session);
      INFO(status.to_string());
      REQUIRE(status.ok());
      REQUIRE(network.is_right());
    }
    host_fallbacks += session->num_host_fallbacks();
    for (size_t unit = 1; unit < board.units.size(); ++unit) {
      board.faults[unit - 1]->forget();
      for (int attempt = 0; attempt < 3 && !board.units[unit]->probe().ok(); ++attempt) {
      }
    }
  }
  CHECK(host_fallbacks > 0);
}

TEST_CASE("A run is repeated in host memory if a unit cannot be stopped") {
  const Quiet quiet;
  Board board;
  std::mt19937 random(5);
  for (uint32_t seed = 0; seed < 10; ++seed) {
    Network network(seed);
    SessionOptions options;
    options.fault_tolerance.unit_timeout = kUnitTimeout;
    const auto session = open(network, board.units, random_schedule(*network.plan, random), options);
    REQUIRE(network.run(*session).ok());
    for (const auto& faults : board.faults) {
      faults->next_run(Fault::kHang);
      faults->fail_resets(1);
    }
    for (int run = 0; run < 2; ++run) {
      const Status status = network.run(*session);
      INFO(status.to_string());
      REQUIRE(status.ok());
      CHECK(network.is_right());
    }
    for (size_t unit = 0; unit < board.faults.size(); ++unit) {
      board.faults[unit]->forget();
      REQUIRE(board.units[unit + 1]->probe().ok());
    }
    REQUIRE(network.run(*session).ok());
    CHECK(network.is_right());
  }
}

TEST_CASE("A unit that failed is used again once it works") {
  const Quiet quiet;
  Board board;
  Network network(3);
  std::mt19937 random(3);
  SessionOptions options;
  options.fault_tolerance.probe_interval = std::chrono::milliseconds(1);
  const auto session = open(network, board.units, random_schedule(*network.plan, random), options);
  for (const auto& faults : board.faults) faults->next_run(Fault::kDmaError);
  REQUIRE(network.run(*session).ok());
  CHECK(network.is_right());
  const uint64_t host_fallbacks = session->num_host_fallbacks();
  CHECK(host_fallbacks > 0);
  for (int run = 0; run < 100'000; ++run) {
    const uint64_t before = session->num_host_fallbacks();
    REQUIRE(network.run(*session).ok());
    CHECK(network.is_right());
    if (session->num_host_fallbacks() == before) return;
  }
  FAIL("the failed units were not used again");
}

// The costs in the file differ from those of a simulation: they make EVTA worthwhile and give it a short time limit.
TEST_CASE("Costs in the cost file limit the time of a unit in the first run") {
  const Quiet quiet;
  const TemporaryFolder folder;
  Board board;
  Network network(3);
  SessionOptions options;
  options.costs.file = folder.path() + "/costs";
  options.fault_tolerance.unit_timeout = kNoTimeout;
  const auto costs =
      flat_costs(*network.plan, board.units, [](const UnitInfo& unit) { return unit.is_host ? 1e5 : 1; });
  REQUIRE(write_costs(options.costs.file, *costs).ok());
  const auto session = Session::create(network.plan, board.units, options);
  REQUIRE(session);
  for (const auto& faults : board.faults) faults->next_run(Fault::kHang);
  REQUIRE(network.run(**session).ok());
  CHECK(network.is_right());
  CHECK((*session)->num_host_fallbacks() > 0);
}

TEST_CASE("A session is created even if a unit fails during measurement") {
  const Quiet quiet;
  Board board;
  Network network(3);
  for (const Fault fault : {Fault::kDmaError, Fault::kHang}) {
    for (const auto& faults : board.faults) faults->next_run(fault);
    SessionOptions options;
    options.fault_tolerance.unit_timeout = kUnitTimeout;
    const auto session = Session::create(network.plan, board.units, options);
    INFO(session.error().to_string());
    REQUIRE(session);
    REQUIRE(network.run(**session).ok());
    CHECK(network.is_right());
    for (const auto& faults : board.faults) faults->forget();
    for (size_t unit = 1; unit < board.units.size(); ++unit) REQUIRE(board.units[unit]->probe().ok());
  }
}

// Only one session at a time gets the lanes of a CPU; the others run their steps sequentially.
TEST_CASE("Sessions that share the CPU concurrently equal the CPU alone bit for bit") {
  const Board board;
  std::mt19937 random(11);
  for (int i = 0; i < by_level(5, 20, 500); ++i) {
    std::vector<std::thread> threads;
    std::deque<Network> networks;
    std::atomic<int> wrong{0};
    for (uint32_t session = 0; session < 3; ++session) {
      Network& network = networks.emplace_back(session);
      SessionOptions options;
      options.fixed_schedule = std::make_shared<const Schedule>(random_schedule(*network.plan, random));
      threads.emplace_back([&board, &wrong, &network, options] {
        const auto opened = Session::create(network.plan, board.units, options);
        for (int run = 0; run < 5; ++run)
          if (!opened || !network.run(**opened).ok() || !network.is_right()) ++wrong;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("Lane threads sleep between runs") {
  const Board board;
  Network network(7);
  std::mt19937 random(7);
  const auto session = open(network, board.units, random_schedule(*network.plan, random));
  for (int run = 0; run < 3; ++run) {
    REQUIRE(network.run(*session).ok());
    CHECK(fall_asleep("nestrt-unit", 2));
  }
}

TEST_CASE("A run fails at its deadline") {
  const Quiet quiet;
  Board board;
  Network network(4);
  std::mt19937 random(4);
  const auto session = open(network, board.units, random_schedule(*network.plan, random));
  RunOptions options;
  options.deadline = SteadyClock::now();
  CHECK(network.run(*session, options).code() == Code::kDeadlineExceeded);
  CHECK(network.run(*session).ok());
  CHECK(network.is_right());
}

TEST_CASE("A cancelled run ends, and the next one is correct") {
  const Quiet quiet;
  Board board;
  Network network(5);
  std::mt19937 random(5);
  SessionOptions options;
  options.fault_tolerance.unit_timeout = kNoTimeout;
  const auto session = open(network, board.units, random_schedule(*network.plan, random), options);
  for (const auto& faults : board.faults) faults->next_run(Fault::kHang);
  std::atomic<bool> ended{false};
  std::thread canceller([&] {
    while (!ended.load()) {
      session->cancel();
      std::this_thread::yield();
    }
  });
  const Status status = network.run(*session);
  ended.store(true);
  canceller.join();
  CHECK(status.code() == Code::kCancelled);
  for (const auto& faults : board.faults) faults->forget();  // a unit may not have been used yet
  CHECK(network.run(*session).ok());
  CHECK(network.is_right());
}

TEST_CASE("A cancellation between two runs affects at most the next one and is not a unit failure") {
  Board board;
  Network network(5);
  std::mt19937 random(5);
  const auto session = open(network, board.units, random_schedule(*network.plan, random));
  std::atomic<bool> ended{false};
  std::thread canceller([&] {
    while (!ended.load()) session->cancel();
  });
  for (int run = 0; run < test::by_level(200, 3000, 20000); ++run) {
    const Status status = network.run(*session);
    if (!status.ok()) CHECK(status.code() == Code::kCancelled);
  }
  ended.store(true);
  canceller.join();
  CHECK(session->num_host_fallbacks() == 0);
  CHECK(network.run(*session).ok());
  CHECK(network.is_right());
}

TEST_CASE("Schedules that compute too little, twice, too early or on a missing unit are rejected") {
  const Board board;
  const Network network(6);
  std::mt19937 random(6);
  const Schedule good = random_schedule(*network.plan, random);
  const auto refuses = [&](const Schedule& schedule, const std::string& why) {
    SessionOptions options;
    options.fixed_schedule = std::make_shared<const Schedule>(schedule);
    const auto session = Session::create(network.plan, board.units, options);
    REQUIRE_FALSE(session);
    CHECK(session.error().code() == Code::kInvalidArgument);
    CHECK_THAT(session.error().to_string(), Catch::Contains(why));
  };
  Schedule bad = good;
  bad.steps.pop_back();
  refuses(bad, "is not computed exactly once");
  bad = good;
  bad.steps.push_back(bad.steps.back());
  refuses(bad, "is not computed exactly once");
  bad = good;
  std::rotate(bad.steps.begin(), bad.steps.end() - 1, bad.steps.end());
  refuses(bad, "invalid schedule");
  bad = good;
  bad.steps[0].lane = 7;
  refuses(bad, "its lane does not exist");
  bad = good;
  bad.steps[0].program = 9;
  refuses(bad, "its program does not exist");
  bad = good;
  bad.lanes[3].unit = 5;
  refuses(bad, "unit 5, which does not exist");
  bad = good;
  bad.lanes[0].unit = 1;
  refuses(bad, "lane 0 does not belong to unit 'cpu'");
}

}  // namespace
}  // namespace nestrt::test
