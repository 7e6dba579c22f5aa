// A session makes another schedule where the one that it has is no longer right.
#include <catch2/catch.hpp>
#include <optional>
#include <thread>

#include "test/runtime/session/random_network.h"
#include "test/runtime/session/virtual_units.h"
#include "test/support/flat_costs.h"
#include "test/support/plan_builder.h"

namespace nestrt::test {
namespace {

constexpr int kMostRuns = 100'000;

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

// One branch after the other, in virtual time, on a host and an accelerator that has a program for each.
class VirtualBoard {
 public:
  static constexpr int kBranches = 3;
  static constexpr double kHostUs = 10, kNpuUs = 1;

  VirtualBoard() {
    const Shape shape{1, 4};
    PlanBuilder builder;
    int before = builder.input("x", shape);
    for (int branch = 0; branch < kBranches; ++branch) {
      const bool is_last = branch == kBranches - 1;
      const int y = is_last ? builder.output("y", shape) : builder.arena("between", shape);
      builder.op("relu", unary(ops::UnaryKind::kRelu), {std::exchange(before, y)}, {y});
      builder.branch();
    }
    plan::Tables& tables = builder.tables();
    for (plan::Branch& branch : tables.branches) branch.programs.emplace_back().unit = "npu";
    plan::MemoryPlan any = tables.memory_plans[0];
    any.kind = plan::MemoryPlanKind::kAnySchedule;
    tables.memory_plans.push_back(std::move(any));
    file_.emplace(builder.build());
    plan_ = *Plan::from_memory(file_->bytes());
    units_ = {std::make_shared<VirtualUnit>(UnitInfo{"cpu", "cpu", "", 1, true}, clock, host),
              std::make_shared<VirtualUnit>(UnitInfo{"npu", "npu0", "", 1, false}, clock, npu)};
    host->microseconds = static_cast<int64_t>(kHostUs);
    npu->microseconds = static_cast<int64_t>(kNpuUs);
    SessionOptions options;
    options.costs = flat_costs(*plan_, units_, [](const UnitInfo& unit) { return unit.is_host ? kHostUs : kNpuUs; });
    options.clock = clock;
    auto created = Session::create(plan_, units_, options);
    if (!created) FAIL(created.error().to_string());
    session = std::move(*created);
  }

  void run() {
    const ConstTensorView in[] = {tensor_view(std::span<const float>(x_), {1, 4})};
    const TensorView out[] = {tensor_view(std::span<float>(y_), {1, 4})};
    REQUIRE(session->run(in, out).ok());
  }
  // Schedules are made beside the runs.
  template <typename Done>
  bool run_until(Done done) {
    for (int run = 0; run < kMostRuns && !done(); ++run) {
      this->run();
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
    return done();
  }

  const std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>();
  const std::shared_ptr<VirtualSpeed> host = std::make_shared<VirtualSpeed>(), npu = std::make_shared<VirtualSpeed>();
  std::unique_ptr<Session> session;

 private:
  std::optional<PlanFile> file_;
  std::shared_ptr<const Plan> plan_;
  UnitList units_;
  std::vector<float> x_ = std::vector<float>(4), y_ = std::vector<float>(4);
};

TEST_CASE("A schedule stays where times are as its costs say") {
  VirtualBoard board;
  REQUIRE(uses_other_units(*board.session));
  for (int run = 0; run < 200; ++run) board.run();
  CHECK(board.session->reschedules() == 0);
}

TEST_CASE("A schedule made from wrong costs is made again from what was measured") {
  VirtualBoard board;
  board.npu->microseconds = 100;
  CHECK(board.run_until([&] { return board.session->reschedules() > 0; }));
  CHECK_FALSE(uses_other_units(*board.session));
}

TEST_CASE("A unit that has failed is tried again long before the interval is over") {
  const Quiet quiet;
  VirtualBoard board;
  board.host->microseconds = board.npu->microseconds = 0;  // only the test lets time pass
  board.npu->fails = true;
  CHECK(board.run_until([&] { return !uses_other_units(*board.session); }));
  for (int run = 0; run < 100; ++run) board.run();
  CHECK(board.npu->probes == 0);
  board.npu->fails = false;
  board.clock->advance(SessionOptions().probe_interval / 8);
  CHECK(board.run_until([&] { return uses_other_units(*board.session); }));
  CHECK(board.npu->probes == 1);
}

}  // namespace
}  // namespace nestrt::test
