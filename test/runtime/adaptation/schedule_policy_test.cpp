// SPDX-License-Identifier: Apache-2.0
// Tests, in virtual time and on four networks, that sessions adapt to the speeds of their units. Sessions must soon be
// no slower than the host alone, and then close to the best schedule.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <string>

#include "runtime/costs/unit_key.h"
#include "test/runtime/support/virtual_session.h"
#include "test/support/plan/network_graphs.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

// A state of the board for a number of runs. With `drifts`, the state changes gradually from the previous one.
struct Phase {
  int runs = 0;
  BoardState state;
  bool drifts = false;
};

constexpr int kRunsOfDrift = 5;  // runs at constant speed during a drift

struct Scenario {
  std::string name;
  std::vector<Phase> phases;
  double wrong = 0.1;
  double within = 1.03, at_the_end = 1.03;  // limits relative to the best schedule
};

std::vector<Scenario> scenarios() {
  const BoardState well;
  const auto host = [](double slowdown) { return BoardState{.host = slowdown}; };
  const auto npu = [](double slowdown) { return BoardState{.npu = slowdown}; };
  const auto noisy = [](double slowdown) { return BoardState{.npu = slowdown, .noise = 0.2}; };
  const BoardState both{.host = 1.3, .npu = 1.3}, gone{.npu_is_failing = true};
  const auto there_and_back = [&](const BoardState& state) {
    return std::vector<Phase>{{80, well}, {120, state}, {160, well}};
  };
  return {
      {"the accelerator twice as fast and back", there_and_back(npu(0.5))},
      {"the accelerator twice as slow and back", there_and_back(npu(2))},
      {"the accelerator six times as slow and back", there_and_back(npu(6))},
      {"the CPU twice as fast and back", there_and_back(host(0.5))},
      {"the CPU twice as slow and back", there_and_back(host(2))},
      {"the CPU six times as slow and back", there_and_back(host(6))},
      {"both a little slower and back", there_and_back(both)},
      {"the CPU twice as slow and back, then both a little slower",
       {{80, well}, {120, host(2)}, {120, well}, {160, both}}},
      {"the accelerator slows down little by little",
       {{80, well}, {150, npu(1.6), true}, {120, npu(1.6)}, {150, well, true}, {160, well}}},
      {"noise of a fifth", {{400, noisy(1)}}, 0.1, 1.035, 1.035},
      {"noise of a fifth, the accelerator three times as slow and back",
       {{80, noisy(1)}, {160, noisy(3)}, {200, noisy(1)}},
       0.1,
       1.035,
       1.035},
      {"the accelerator fails and recovers", there_and_back(gone)},
      {"costs that are wrong by a third", {{300, well}}, 0.33, 1.05},
      {"units that disturb each other", {{80, well}, {200, BoardState{.contention = 1.8}}, {160, well}}, 0.1, 1.05}};
}

BoardState between(const BoardState& from, const BoardState& to, double part) {
  BoardState state = to;
  state.host = from.host + part * (to.host - from.host);
  state.npu = from.npu + part * (to.npu - from.npu);
  return state;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

using Runs = std::vector<VirtualSession::Run>;

// Returns the median of makespan / of(run) over runs [begin, end).
double ratio(const Runs& runs, size_t begin, size_t end, const std::function<double(const VirtualSession::Run&)>& of) {
  std::vector<double> ratios;
  for (size_t i = begin; i < std::min(end, runs.size()); ++i) ratios.push_back(runs[i].makespan_us / of(runs[i]));
  return median(ratios);
}

struct Outcome {
  double of_host = 0, of_best = 0;  // worst window relative to the host alone and to the best schedule
  double at_the_end = 0;            // last window relative to the best schedule
  double exploring = 0;             // fraction of all time lost by exploring
  int changes = 0;

  void keep_worst(const Outcome& other) {
    of_host = std::max(of_host, other.of_host);
    of_best = std::max(of_best, other.of_best);
    at_the_end = std::max(at_the_end, other.at_the_end);
    exploring = std::max(exploring, other.exploring);
    changes = std::max(changes, other.changes);
  }
};

void evaluate_windows(const Runs& runs, Outcome& outcome) {
  constexpr size_t kWindow = 20;
  for (size_t begin = 10; begin + kWindow <= runs.size(); begin += kWindow) {
    const double of_host = ratio(runs, begin, begin + kWindow, [](const auto& run) { return run.host_us; });
    outcome.of_host = std::max(outcome.of_host, of_host);
    if (begin < 50) continue;
    const double of_best = ratio(runs, begin, begin + kWindow, [](const auto& run) { return run.best_us; });
    outcome.of_best = std::max(outcome.of_best, of_best);
    outcome.at_the_end = of_best;
  }
}

Outcome play(const Scenario& scenario, VirtualSession session) {
  Outcome outcome;
  BoardState before;
  double total = 0, explored = 0, last = 0;
  for (const Phase& phase : scenario.phases) {
    Runs runs;
    for (int run = 0; run < phase.runs; ++run) {
      const double part = phase.drifts ? (run / kRunsOfDrift + 1.0) * kRunsOfDrift / phase.runs : 1;
      const auto done = session.run(between(before, phase.state, part));
      total += done.makespan_us;
      if (done.explores) explored += std::max(0.0, done.makespan_us - last);
      if (!done.explores) last = done.makespan_us;
      runs.push_back(done);
    }
    evaluate_windows(runs, outcome);
    before = phase.state;
  }
  outcome.exploring = explored / total;
  outcome.changes = session.changes();
  return outcome;
}

using Networks = std::vector<std::pair<std::string, Predecessors>>;

// Returns the networks; in quick tests, only the first one.
Networks networks() {
  Networks all = {{"SqueezeNet", squeezenet_graph()},
                  {"MobileNetV2", mobilenet_v2_graph()},
                  {"ResNet-50", resnet50_graph()},
                  {"GoogLeNet", googlenet_graph()}};
  if (test_level() == TestLevel::kQuick) all.resize(1);
  return all;
}

TEST_CASE("Schedules adapt to the speeds of units") {
  for (const Scenario& scenario : scenarios()) {
    for (const auto& [name, graph] : networks()) {
      for (uint32_t seed = 1; seed <= static_cast<uint32_t>(by_level(1, 2, 8)); ++seed) {
        INFO(scenario.name << ", " << name << ", seed " << seed);
        const Outcome outcome = play(scenario, VirtualSession(graph, seed, scenario.wrong));
        CHECK(outcome.of_host <= 1.03);
        CHECK(outcome.of_best <= scenario.within);
        CHECK(outcome.at_the_end <= scenario.at_the_end);
        CHECK(outcome.exploring <= 0.02);
      }
    }
  }
}

// Two concurrent branches, each for one of two identical accelerators or the host.
class IdenticalUnits {
 public:
  IdenticalUnits() : file_(two_branches().build()), plan_(*Plan::from_memory(file_.bytes())) {
    for (const UnitInfo& unit : units_)
      for (uint32_t op = 0; op < plan_->tables().operators.size(); ++op)
        predicted_.set(key_of(unit), work_name(*plan_, op, key_of(unit)),
                       {unit.is_host ? 100.0 : 10.0, CostSource::kMeasured});
    policy.emplace(*plan_, units_, predicted_, *make_schedule(*plan_, units_, predicted_), PolicyOptions());
  }

  // Runs `runs` times with all steps slower by `slowdown` than predicted, then decides.
  SchedulePolicy::Move run(int runs, double slowdown) {
    RunStatistics statistics = policy->new_statistics();
    for (int run = 0; run < runs; ++run) {
      for (size_t step = 0; step < statistics.step_us().size(); ++step)
        statistics.step_us()[step] = static_cast<float>(slowdown * statistics.predicted_us(step));
      statistics.end_run(slowdown * 10);
    }
    return policy->decide(statistics, 0);
  }
  double npu_us() const {
    return policy->costs().find(key_of(units_[1]), work_name(*plan_, 0, key_of(units_[1])))->microseconds;
  }

  std::optional<SchedulePolicy> policy;

 private:
  static PlanBuilder two_branches() {
    PlanBuilder builder = branches_plan();
    for (plan::Branch& branch : builder.tables().branches) branch.programs.emplace_back().unit = "npu";
    return builder;
  }
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  std::vector<UnitInfo> units_ = {{"cpu", "cpu", "", 1, true}, {"npu", "npu0", ""}, {"npu", "npu1", ""}};
  CostTable predicted_;
};

TEST_CASE("Identical units that slow down together count once") {
  for (const int runs : {3, 20}) {
    IdenticalUnits board;
    board.run(runs, runs == 3 ? 2 : 1.05);
    CHECK(board.npu_us() == Approx(runs == 3 ? 20 : 10.5));
  }
}

TEST_CASE("A schedule is replaced when contention by other sessions begins and ends") {
  IdenticalUnits board;
  const double alone = board.policy->schedule().makespan_us;
  board.policy->set_others({2, 2, 2});
  CHECK(board.run(1, 1) == SchedulePolicy::Move::kAdopt);
  CHECK(board.policy->schedule().makespan_us >= alone);
  board.policy->set_others({3, 2, 2});
  CHECK(board.run(1, 1) != SchedulePolicy::Move::kAdopt);
  board.policy->set_others({});
  CHECK(board.run(1, 1) == SchedulePolicy::Move::kAdopt);
  CHECK(board.policy->schedule().makespan_us == alone);
}

TEST_CASE("A move that cannot be carried out is reverted") {
  IdenticalUnits board;
  const Schedule before = board.policy->schedule();
  REQUIRE(board.run(3, 20) == SchedulePolicy::Move::kAdopt);  // the host is faster
  board.policy->undo(SchedulePolicy::Move::kAdopt);
  CHECK(board.policy->schedule().lanes.size() == before.lanes.size());
  CHECK(board.policy->due().runs > 0);
  CHECK(board.run(3, 1) != SchedulePolicy::Move::kRollBack);
}

void print(const std::string& name, const Outcome& outcome) {
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.1f} % | {} |\n", name, outcome.of_host, outcome.of_best,
             outcome.at_the_end, 100 * outcome.exploring, outcome.changes);
}

// Prints the table that script/reports/adaptation-report writes to docs/results/adaptation.md.
TEST_CASE("The table of scenarios", "[.][table]") {
  for (const Scenario& scenario : scenarios()) {
    Outcome worst;
    for (const auto& [name, graph] : networks())
      for (uint32_t seed = 1; seed <= 2; ++seed)
        worst.keep_worst(play(scenario, VirtualSession(graph, seed, scenario.wrong)));
    CHECK(worst.at_the_end > 0.99);  // no schedule is faster than the best
    print(scenario.name, worst);
  }
}

// Prints the same table for the plan $NESTRT_PLAN, which nestc compiled for the ZCU102. The costs, including transfers,
// are those of boards/zcu102.yaml. Each search ends after 0.1 s.
TEST_CASE("The table of scenarios for a plan", "[.][plan]") {
  const char* const path = std::getenv("NESTRT_PLAN");
  REQUIRE(path != nullptr);
  const auto plan = Plan::map(path);
  REQUIRE(plan);
  auto costs = read_costs(NESTRT_SOURCE_DIR "/boards/profiles/zcu102.costs");
  REQUIRE(costs);
  const std::vector<UnitInfo> units = {{"cpu", "cpu", "neon", 4, true}, {"evta", "evta0", "1x16_15_15_18_17"}};
  costs->set_overhead({"cpu", "neon", 1}, {2, 0, 0, 2});
  costs->set_overhead(key_of(units[1]), {4, 5, 0, 0});
  for (const Scenario& scenario : scenarios()) {
    const std::chrono::milliseconds budget(100);
    const Outcome outcome = play(scenario, VirtualSession(*plan, units, *costs, 1, scenario.wrong, budget));
    CHECK(outcome.at_the_end > 0.9);
    print(scenario.name, outcome);
  }
}

}  // namespace
}  // namespace nestrt::test
