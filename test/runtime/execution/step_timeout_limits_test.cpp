// SPDX-License-Identifier: Apache-2.0
// Tests runs whose unit hangs, fails or is late, in virtual time and exact to the microsecond.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "nestrt/log.h"
#include "runtime/adaptation/file_order.h"
#include "runtime/core/unit_infos.h"
#include "runtime/execution/executor.h"
#include "runtime/plan/queries/run_memory.h"
#include "test/runtime/support/virtual_board.h"
#include "test/support/process/quiet.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

SessionOptions limits(double factor, milliseconds slack) {
  SessionOptions options;
  options.fault_tolerance.timeout_factor = factor;
  options.fault_tolerance.timeout_slack = slack;
  options.adaptation.drift = 0;  // keeps the unit in the schedule
  return options;
}

TEST_CASE("A hanging unit delays the run by its time limit once, plus the host's time") {
  const Quiet quiet;
  VirtualBoard board(2000, 1000, limits(8, milliseconds(5)));
  CHECK(board.time_run() == microseconds(3000));
  board.npu->hangs = true;
  CHECK(board.time_run() == microseconds(8 * 1000 + 5000 + 3 * 2000));
  for (int run = 0; run < 5; ++run) CHECK(board.time_run() == microseconds(6000));
  CHECK(board.session->num_host_fallbacks() == 18);
}

TEST_CASE("A hanging unit is logged once, with its limit") {
  std::vector<std::string> lines;
  VirtualBoard board(2000, 1000, limits(8, milliseconds(5)));
  board.run();
  board.npu->hangs = true;
  set_log_hook([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  for (int run = 0; run < 5; ++run) board.run();
  set_log_hook({});
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0],
             Catch::Contains("unit 'npu0'") && Catch::Contains("exceeded its time limit of 13 ms; expected 1 ms"));
}

TEST_CASE("A unit stopped early for a deadline is logged once") {
  std::vector<std::string> lines;
  VirtualBoard board(600, 500, limits(8, milliseconds(5)));
  board.run();
  board.npu->hangs = true;
  set_log_hook([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  for (int run = 0; run < 5; ++run) static_cast<void>(board.time_run(milliseconds(5)));
  set_log_hook({});
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains("stopped early so that the run can meet its deadline"));
}

TEST_CASE("A unit's limit follows its mean time") {
  VirtualBoard board(2000, 1000, limits(2, milliseconds(0)));
  for (const int64_t us : {1000, 1900, 2300, 2700, 3200}) {
    board.npu->microseconds = us;
    for (int run = 0; run < 10; ++run) CHECK(board.time_run() == microseconds(3 * us));
  }
  CHECK(board.session->num_host_fallbacks() == 0);
}

TEST_CASE("A unit without measured times has no limit below the timeout") {
  VirtualBoard board(2000, 1000, limits(8, milliseconds(5)));
  board.npu->microseconds = 9'000'000;  // given costs may be those of another board
  CHECK(board.time_run() == microseconds(27'000'000));
  CHECK(board.session->num_host_fallbacks() == 0);
}

TEST_CASE("The timeout applies without measured times and without a factor") {
  const Quiet quiet;
  for (const double factor : {8.0, 0.0}) {
    SessionOptions options = limits(factor, milliseconds(5));
    options.fault_tolerance.unit_timeout = milliseconds(100);
    VirtualBoard board(2000, 1000, options);
    if (factor == 0) board.run();
    board.npu->hangs = true;
    CHECK(board.time_run() == microseconds(106'000));
  }
}

TEST_CASE("A run with a hanging unit meets any deadline that leaves time for the host") {
  const Quiet quiet;
  for (const milliseconds deadline : {milliseconds(5), milliseconds(10), milliseconds(50), milliseconds(2000)}) {
    VirtualBoard board(600, 500, limits(8, milliseconds(5)));
    board.npu->hangs = true;  // from the first run on
    CHECK(board.time_run(deadline) < deadline);
    CHECK(board.session->num_host_fallbacks() == 3);
    CHECK(board.time_run(deadline) == microseconds(1800));
  }
}

TEST_CASE("A unit that is too slow for the deadline is stopped, and used again after a successful probe") {
  const Quiet quiet;
  VirtualBoard board(600, 500, limits(8, milliseconds(50)));
  board.run();
  board.npu->microseconds = 100'000;
  CHECK(board.time_run(milliseconds(20)) < milliseconds(20));
  board.npu->microseconds = 500;
  board.host->microseconds = 599;
  board.clock->advance(SessionOptions().fault_tolerance.probe_interval);
  for (int run = 0; run < 100'000 && board.npu->computed == 3; ++run) board.run();
  CHECK(board.npu->computed > 3);
}

TEST_CASE("A hanging unit causes few failed runs if the deadline leaves time for only the unit or the host") {
  const Quiet quiet;
  constexpr microseconds kDeadline(3000);  // the host needs 1800 us, plus a margin of half of that
  VirtualBoard board(600, 500, limits(8, milliseconds(5)));
  for (int run = 0; run < 10; ++run) CHECK(board.time_run(kDeadline) == microseconds(1500));
  CHECK(board.session->num_host_fallbacks() == 0);
  board.npu->hangs = true;
  int missed = 0;
  for (int run = 0; run < 1000; ++run) missed += !board.try_run(kDeadline).ok();
  CHECK(missed > 0);
  CHECK(missed <= 7);  // after 0, 32, 96, 224, ... of 3000 steps
}

TEST_CASE("A run with enough time uses a bypassed unit, which is then trusted again") {
  const Quiet quiet;
  VirtualBoard board(600, 500, limits(8, milliseconds(5)));
  board.run();
  board.npu->hangs = true;
  CHECK(board.try_run(milliseconds(3)).code() == Code::kDeadlineExceeded);
  board.npu->hangs = false;
  CHECK(board.time_run(milliseconds(3)) == microseconds(1800));
  CHECK(board.time_run(milliseconds(20)) == microseconds(1500));
  CHECK(board.time_run(milliseconds(3)) == microseconds(1500));
}

TEST_CASE("A deadline that neither the unit nor the host can meet does not affect trust in the unit") {
  const Quiet quiet;
  VirtualBoard board(600, 500, limits(8, milliseconds(5)));
  board.run();
  for (int run = 0; run < 10; ++run) CHECK(board.try_run(microseconds(100)).code() == Code::kDeadlineExceeded);
  CHECK(board.time_run(milliseconds(3)) == microseconds(1500));
}

// An executor with a chain of branches, one of which fails in each run.
class FaultyChain {
 public:
  enum class Kind { kHangs, kFails, kIsLate };

  FaultyChain(int branches, int64_t host_us, int64_t npu_us)
      : branches_(branches),
        file_(chain_for_npu(branches)),
        plan_(*Plan::from_memory(file_.bytes())),
        units_{std::make_shared<VirtualUnit>(UnitInfo{"cpu", "cpu", "", 1, true}, clock_, host_),
               std::make_shared<VirtualUnit>(UnitInfo{"npu", "npu0", "", 1, false}, clock_, npu_)},
        executables_(plan_, units_),
        health_(units_),
        executor_({.limits = {milliseconds(10'000), 8, milliseconds(5)}, .clock = clock_, .arbiters = nullptr},
                  health_) {
    host_->microseconds = host_us;
    npu_->microseconds = npu_us;
    const auto costs =
        flat_costs(*plan_, units_, [&](const UnitInfo& unit) { return unit.is_host ? host_us : npu_us; });
    schedule_ =
        *PreparedSchedule::create(*plan_, units_, *file_order_schedule(*plan_, unit_infos(units_)), executables_);
    schedule_->set_costs(*plan_, units_, *costs, *costs);
    const auto* const any = memory_plan_for(plan_->tables(), plan::MemoryPlanKind::kAnySchedule);
    REQUIRE(memory_.allocate(*plan_, *any, units_).ok());
    REQUIRE(executor_.reserve_unit_lanes(1).ok());
    memory_.bind({&input_, 1}, {&output_, 1});
  }

  // Checks that each branch was computed once.
  Status run(Deadline deadline) {
    const int before = host_->computed + npu_->computed;
    const Status status = executor_.run(*schedule_, {&memory_, deadline});
    if (status.ok()) CHECK(host_->computed + npu_->computed - before == branches_);
    return status;
  }
  // Injects a fault into this branch of the next runs.
  void break_unit(Kind kind, int branch, int64_t late_us) {
    npu_->good = branch;
    npu_->hangs = kind == Kind::kHangs;
    npu_->fails = kind == Kind::kFails;
    npu_->late_us = kind == Kind::kIsLate ? late_us : 0;
  }
  void repair() {
    break_unit(Kind::kIsLate, 0, 0);
    health_.record_recovery(1);
    health_.record_complete_run(1);
  }
  // Returns whether the deadline leaves time for the known duration of the branch on the unit, and then for the host.
  bool has_time_for_both(int branch, microseconds deadline) const {
    const double unit_us = schedule_->steps()[static_cast<size_t>(branch)].times().unit_us;
    const auto left_us = static_cast<double>(deadline.count() - branch * npu_->microseconds);
    const auto host_us = static_cast<double>((branches_ - branch) * host_->microseconds);
    return left_us > unit_us + 1.5 * host_us + 501;
  }
  bool host_has_time(microseconds deadline) const { return deadline.count() > branches_ * host_->microseconds; }
  SteadyClock::time_point now() const { return clock_->now(); }
  bool is_failing() const { return health_.is_failing(1); }
  uint64_t num_host_fallbacks() const { return health_.num_host_fallbacks(); }

 private:
  const int branches_;
  const std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
  const std::shared_ptr<VirtualSpeed> host_ = std::make_shared<VirtualSpeed>(), npu_ = std::make_shared<VirtualSpeed>();
  const PlanFile file_;
  const std::shared_ptr<const Plan> plan_;
  const UnitList units_;
  Executables executables_;
  UnitHealth health_;
  Executor executor_;
  RunMemory memory_;
  std::unique_ptr<PreparedSchedule> schedule_;
  const std::vector<float> x_ = std::vector<float>(4);
  std::vector<float> y_ = std::vector<float>(4);
  const ConstTensorView input_ = tensor_view(std::span<const float>(x_), {1, 4});
  const TensorView output_ = tensor_view(std::span<float>(y_), {1, 4});
};

struct DrawnFault {
  FaultyChain::Kind kind;
  int branch;
  int64_t late_us;
  microseconds deadline;
};

DrawnFault draw_fault(std::mt19937& random, int branches) {
  const auto below = [&](uint32_t count) { return random() % count; };
  const auto span = static_cast<int64_t>(uint64_t{1} << below(6));  // short deadlines more often
  return {static_cast<FaultyChain::Kind>(below(3)), static_cast<int>(below(static_cast<uint32_t>(branches))),
          static_cast<int64_t>(1 + below(40'000)), microseconds(5000 + below(5000) * span)};
}

// Checks the runs with a fault. Without a deadline, every run succeeds. With a deadline, a run succeeds if it has time
// for the unit and the host. A run that has time only for the host may fail, but the next one must not.
void check_fault(FaultyChain& chain, const DrawnFault& fault) {
  chain.repair();
  REQUIRE(chain.run(kNoDeadline).ok());
  chain.break_unit(fault.kind, fault.branch, fault.late_us);
  Deadline deadline = chain.now() + fault.deadline;
  Status status = chain.run(deadline);
  CAPTURE(fault.branch, fault.late_us, fault.deadline.count(), static_cast<int>(fault.kind), status.to_string());
  CHECK((status.ok() || status.code() == Code::kDeadlineExceeded));
  if (chain.has_time_for_both(fault.branch, fault.deadline)) CHECK(status.ok());
  if (status.ok()) CHECK(chain.now() <= deadline);
  if (!status.ok() && chain.host_has_time(fault.deadline)) {
    deadline = chain.now() + fault.deadline;
    status = chain.run(deadline);
    CAPTURE(status.to_string(), chain.is_failing());
    CHECK(status.ok());
    CHECK(chain.now() <= deadline);
  }
  CHECK(chain.run(kNoDeadline).ok());
}

TEST_CASE("A late unit is bypassed for branches that only the host can finish in time") {
  const Quiet quiet;
  FaultyChain chain(5, 124, 1201);
  chain.repair();
  REQUIRE(chain.run(kNoDeadline).ok());
  chain.break_unit(FaultyChain::Kind::kIsLate, 0, 11'703);
  const Deadline deadline = chain.now() + microseconds(16'872);
  CHECK(chain.run(deadline).ok());
  CHECK(chain.now() <= deadline);
  CHECK_FALSE(chain.is_failing());
}

TEST_CASE("With any fault, a run meets its deadline if there is time, and no two consecutive runs fail") {
  const Quiet quiet;
  std::mt19937 random(7);
  constexpr int kFaultsOfChain = 50;
  uint64_t host_fallbacks = 0;
  for (int left = by_level(1000, 10'000, 1'000'000); left > 0; left -= kFaultsOfChain) {
    const int branches = 1 + static_cast<int>(random() % 5);
    FaultyChain chain(branches, 100 + random() % 3000, 50 + random() % 2000);
    for (int fault = 0; fault < kFaultsOfChain; ++fault) check_fault(chain, draw_fault(random, branches));
    host_fallbacks += chain.num_host_fallbacks();
  }
  CHECK(host_fallbacks > 0);
}

}  // namespace
}  // namespace nestrt::test
