// SPDX-License-Identifier: Apache-2.0
#include "test/soak/season.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/open_units.h"
#include "runtime/plan/queries/run_memory.h"
#include "runtime/platform/replace_file.h"
#include "test/runtime/support/random_schedule.h"
#include "test/support/plan/flat_costs.h"

namespace nestrt::test {
namespace {

using evta::Fault;
using std::chrono::milliseconds;

constexpr milliseconds kUnitTimeout(20);
constexpr int kUnits = 2;                      // EVTA instances
constexpr uint32_t kPausesBetweenFaults = 60;  // units work most of the time

// The CPU and accelerators with fault injection.
struct FaultyBoard {
  FaultyBoard() : units(*open_units("cpu", {.num_threads = 2})) {
    for (int instance = 0; instance < kUnits; ++instance) {
      evta::EvtaOptions options;
      options.instance = instance;
      faults.push_back(std::make_shared<evta::FaultInjector>(milliseconds(2)));
      units.push_back(*evta::open_evta_unit(options, evta::make_simulator_transport({.faults = faults.back()})));
    }
  }
  UnitList units;
  std::vector<std::shared_ptr<evta::FaultInjector>> faults;
};

// A caller that loads the current plan, runs it a few times, and repeats.
class Caller {
 public:
  Caller(std::span<const Network> networks, const std::string& path, const UnitList& units, uint32_t seed, Tally& tally)
      : networks_(networks), path_(path), units_(units), random_(seed), tally_(tally) {}

  void open_session() {
    LoadOptions loading(one_of(2) ? Verification::kComplete : Verification::kTables);
    loading.copy = one_of(2);
    const auto plan = Plan::map(path_, loading);
    if (!plan) return tally_.fail(plan.error().to_string());
    const auto network = std::find_if(networks_.begin(), networks_.end(),
                                      [&](const Network& one) { return one.digest() == (*plan)->digest(); });
    if (network == networks_.end()) return tally_.fail("unknown plan");
    const auto session = Session::create(*plan, units_, options_for(**plan));
    if (!session) return tally_.fail(network->name() + ", create: " + session.error().to_string());
    ++tally_.sessions;
    auto results = network->results();
    for (uint32_t left = 1 + below(8); left > 0; --left) run(*network, **session, results);
    tally_.host_fallbacks += (*session)->num_host_fallbacks();
  }

 private:
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  bool one_of(uint32_t count) { return below(count) == 0; }

  SessionOptions options_for(const Plan& plan) {
    SessionOptions options;
    options.fault_tolerance.unit_timeout = kUnitTimeout;
    options.fault_tolerance.probe_interval = milliseconds(16);
    options.urgent = one_of(2);
    options.fault_tolerance.check_every = below(3);
    if (memory_plan_for(plan.tables(), plan::MemoryPlanKind::kAnySchedule) == nullptr) return options;
    if (one_of(2)) {
      options.fixed_schedule = std::make_shared<const Schedule>(any_random_schedule(plan, random_));
    } else {
      options.schedule.budget = milliseconds(1);
      options.costs.table = flat_costs(plan, units_, [this](const UnitInfo&) { return 10 + below(90); });
    }
    return options;
  }

  // Runs once. The result must be right, unless the run was cancelled or late as requested.
  void run(const Network& network, Session& session, Network::Results& results) {
    RunOptions options;
    const bool is_short = one_of(8), is_cancelled = one_of(8);
    if (is_short) options.deadline = SteadyClock::now() + std::chrono::microseconds(below(300));
    std::thread canceller;
    if (is_cancelled) canceller = std::thread([&] { session.cancel(); });
    const Status status = network.run(session, results, options);
    if (canceller.joinable()) canceller.join();
    ++tally_.runs;
    if (status.ok() && !network.is_right(results)) tally_.fail(network.name() + ": wrong results");
    if (status.ok()) return;
    if (status.code() == Code::kDeadlineExceeded && is_short)
      ++tally_.late;
    else if (status.code() == Code::kCancelled && is_cancelled)
      ++tally_.cancelled;
    else
      tally_.fail(network.name() + ": " + status.to_string());
  }

  std::span<const Network> networks_;
  const std::string& path_;
  const UnitList& units_;
  std::mt19937 random_;
  Tally& tally_;
};

// Disturbances around the callers: swaps the plan that they load, and makes units fail.
class Disturbance {
 public:
  Disturbance(std::span<const Network> networks, const std::string& path, FaultyBoard& board, uint32_t seed,
              Tally& tally)
      : networks_(networks), path_(path), board_(board), random_(seed), tally_(tally) {}

  void swap_plan() {
    const Status status = replace_file(path_, networks_[random_() % networks_.size()].file());
    if (!status.ok()) tally_.fail(status.to_string());
    ++tally_.swaps;
  }
  // Does not inject wrong data, because only sessions that check would notice.
  void break_unit() {
    constexpr Fault kFaults[] = {Fault::kHang, Fault::kLate, Fault::kDmaError, Fault::kLostInterrupt};
    evta::FaultInjector& faults = *board_.faults[random_() % kUnits];
    faults.next_run(kFaults[random_() % std::size(kFaults)]);
    if (random_() % 4 == 0) faults.fail_resets(static_cast<int>(random_() % 3));
    ++tally_.faults;
  }

 private:
  std::span<const Network> networks_;
  const std::string& path_;
  FaultyBoard& board_;
  std::mt19937 random_;
  Tally& tally_;
};

}  // namespace

void Tally::fail(const std::string& what) {
  constexpr uint64_t kPrinted = 10;
  if (failures++ < kPrinted) fprintf(stderr, "soak: %s\n", what.c_str());
}

void run_season(std::span<const Network> networks, const std::string& path, int sessions_of_caller, uint32_t seed,
                Tally& tally) {
  FaultyBoard board;
  Disturbance disturbance(networks, path, board, seed, tally);
  disturbance.swap_plan();
  std::atomic<int> active{2};
  std::vector<std::thread> callers;
  for (uint32_t i = 1; i <= 2; ++i)
    callers.emplace_back([&, i] {
      Caller caller(networks, path, board.units, seed ^ i << 30, tally);
      for (int left = sessions_of_caller; left > 0; --left) caller.open_session();
      --active;
    });
  for (uint32_t pause = 0; active > 0; ++pause) {
    disturbance.swap_plan();
    if (pause % kPausesBetweenFaults == 0) disturbance.break_unit();
    std::this_thread::sleep_for(milliseconds(2));
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace nestrt::test
