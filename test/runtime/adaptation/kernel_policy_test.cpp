// SPDX-License-Identifier: Apache-2.0
// Tests the kernels that KernelPolicy chooses, with run times from a table instead of a clock, and without threads.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "runtime/adaptation/file_order.h"
#include "runtime/adaptation/kernel_policy.h"
#include "runtime/costs/unit_key.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {
namespace {

const UnitInfo kHostInfo{"cpu", "cpu", "", 1, true};
constexpr int kBranches = 12;

// Returns a plan with one operator per branch, each with different work.
PlanFile chain() {
  const Shape shape{1, 64};
  PlanBuilder builder;
  int before = builder.input("x", shape);
  for (int branch = 0; branch < kBranches; ++branch) {
    const int y = branch == kBranches - 1 ? builder.output("y", shape) : builder.arena("between", shape);
    ops::Unary work = unary(ops::UnaryKind::kLeakyRelu);
    work.alpha = static_cast<float>(branch);
    builder.op("work", work, {std::exchange(before, y)}, {y});
    builder.branch();
  }
  return builder.build();
}

struct RunState {
  double speed = 1;  // factor of all times
  double noise = 0;  // relative standard deviation of each step's time
};

// Carries out the policy's decisions as a session does; preparation takes two runs.
class Runs {
 public:
  // `times`: by branch and kernel; the compiler's choice comes first.
  explicit Runs(std::vector<std::vector<double>> times, const CostTable& known = {})
      : times_(std::move(times)), file_(chain()), plan_(*Plan::from_memory(file_.bytes())) {
    std::vector<OperatorKernels> operators;
    for (uint32_t op = 0; op < kBranches; ++op) {
      OperatorKernels& kernels = operators.emplace_back();
      kernels.op = op;
      for (uint32_t number = 0; number < times_[op].size(); ++number)
        kernels.kernels.push_back({number, "kernel" + std::to_string(number)});
    }
    std::erase_if(operators, [](const OperatorKernels& op) { return op.kernels.size() < 2; });
    schedule_ = *file_order_schedule(*plan_, std::span(&kHostInfo, 1));
    policy_ = std::make_unique<KernelPolicy>(*plan_, kHostInfo, 0, std::move(operators), known);
    kernels_ = policy_->in_use();
    statistics_ = fresh();
  }

  // Returns the time of the run without noise.
  double run(const RunState& state = {}) {
    if (next_ && --runs_until_next_ <= 0) begin_next();
    const double us = run_once(state, explores_ ? policy_->explored() : kernels_);
    RunStatistics& statistics = explores_ ? *explored_ : *statistics_;
    const bool is_due =
        explores_ ? statistics.runs() >= KernelPolicy::kExploringRuns
                  : !next_ && (statistics.runs() >= policy_->due().runs || statistics.total_us() >= policy_->due().us);
    if (is_due) decide();
    return us;
  }

  double time_of(const KernelNumbers& kernels) const {
    double sum = 0;
    for (size_t op = 0; op < kBranches; ++op) sum += times_[op][kernels[op]];
    return sum;
  }
  double best_us() const {
    double sum = 0;
    for (const auto& times : times_) sum += *std::ranges::min_element(times);
    return sum;
  }
  void change_times(std::vector<std::vector<double>> times) { times_ = std::move(times); }
  double now_us() const { return time_of(kernels_); }
  const KernelPolicy& policy() const { return *policy_; }

 private:
  std::optional<RunStatistics> fresh() const {
    return RunStatistics(schedule_, std::vector<double>(schedule_.steps.size(), 0));
  }

  double run_once(const RunState& state, const KernelNumbers& kernels) {
    RunStatistics& statistics = explores_ ? *explored_ : *statistics_;
    std::normal_distribution<double> deviation(0, state.noise);
    double sum = 0;
    for (size_t step = 0; step < schedule_.steps.size(); ++step) {
      const uint32_t op = schedule_.steps[step].branch;
      const double us = times_[op][kernels[op]] * state.speed * std::exp(deviation(random_));
      statistics.step_us()[step] = static_cast<float>(us);
      sum += us;
    }
    statistics.end_run(sum);
    return time_of(kernels) * state.speed;
  }

  void begin_next() {
    if (*next_ == KernelPolicy::Move::kExplore) {
      explores_ = true;
      explored_ = fresh();
    } else {
      kernels_ = policy_->in_use();
      statistics_ = fresh();
    }
    next_.reset();
  }

  void decide() {
    KernelPolicy::Move move;
    if (std::exchange(explores_, false)) {
      move = policy_->end_exploring(schedule_, *explored_);
    } else {
      policy_->count(*statistics_);
      move = policy_->decide(schedule_, *statistics_);
    }
    if (move == KernelPolicy::Move::kStay) return;
    next_ = move;
    runs_until_next_ = 2;
  }

  std::vector<std::vector<double>> times_;
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  Schedule schedule_;
  std::unique_ptr<KernelPolicy> policy_;
  KernelNumbers kernels_;
  std::optional<RunStatistics> statistics_, explored_;
  std::optional<KernelPolicy::Move> next_;
  int runs_until_next_ = 0;
  bool explores_ = false;
  std::mt19937 random_{1};
};

// `ratio`: the second kernel's time divided by the first kernel's.
std::vector<std::vector<double>> times_with(double ratio) {
  std::vector<std::vector<double>> times;
  for (int branch = 0; branch < kBranches; ++branch) times.push_back({100, 100 * ratio});
  return times;
}

std::vector<std::vector<double>> random_times(uint32_t seed, size_t kernels) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> size(50, 1000), ratio(0.5, 2.5);
  std::vector<std::vector<double>> times;
  for (int branch = 0; branch < kBranches; ++branch) {
    times.push_back({size(random)});
    while (times.back().size() < kernels) times.back().push_back(times.back()[0] * ratio(random));
  }
  return times;
}

// Returns the overhead of exploration in `count` runs, as a number of runs.
double loss_of(Runs& runs, int count, const RunState& state = {}) {
  double loss = 0;
  for (int i = 0; i < count; ++i) {
    const double before = runs.now_us() * state.speed;
    loss += std::max(0.0, runs.run(state) - before) / before;
  }
  return loss;
}

TEST_CASE("Kernels that are faster than the compiler's choice are adopted") {
  Runs runs(times_with(0.5));
  for (int i = 0; i < 200; ++i) runs.run();
  CHECK(runs.now_us() == runs.best_us());
}

TEST_CASE("Slower kernels are tried once, within the exploration budget") {
  for (const double ratio : {1.01, 1.5, 2.0}) {
    Runs runs(times_with(ratio));
    const double loss = loss_of(runs, 2000);
    CHECK(loss > 0);
    CHECK(loss <= KernelPolicy::kInitialExplorationRuns + KernelPolicy::kExplorationFraction * 2000);
    CHECK(runs.now_us() == runs.best_us());
    CHECK(loss_of(runs, 1000) == 0);
  }
}

TEST_CASE("The fastest of many kernels are adopted") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Runs runs(random_times(seed, 3));
    const double loss = loss_of(runs, 1500);
    CHECK(runs.now_us() <= 1.02 * runs.best_us());
    CHECK(loss <= KernelPolicy::kInitialExplorationRuns + KernelPolicy::kExplorationFraction * 1500);
  }
}

TEST_CASE("The fastest kernels are adopted despite noise") {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    Runs runs(random_times(seed, 2));
    for (int i = 0; i < 1500; ++i) runs.run({1, 0.05});
    CHECK(runs.now_us() <= 1.03 * runs.best_us());
  }
}

TEST_CASE("A slowdown of the machine during exploration is not attributed to kernels") {
  Runs faster(times_with(0.8)), slower(times_with(1.25));
  for (int i = 0; i < 1500; ++i) {
    const RunState state{i % 100 < 50 ? 1.0 : 1.6, 0};
    faster.run(state);
    slower.run(state);
  }
  CHECK(faster.now_us() == faster.best_us());
  CHECK(slower.now_us() == slower.best_us());
}

TEST_CASE("The next session uses learned kernels from its first run and does not explore") {
  const auto times = random_times(3, 2);
  Runs first(times);
  for (int i = 0; i < 1500; ++i) first.run();
  REQUIRE(first.policy().has_learned());
  Runs next(times, first.policy().costs());
  CHECK(next.now_us() <= first.now_us());
  CHECK(loss_of(next, 1000) == 0);
}

TEST_CASE("Kernels that become faster are found eventually") {
  Runs runs(times_with(1.5));
  for (int i = 0; i < 1500; ++i) runs.run();
  runs.change_times(times_with(0.5));
  for (int i = 0; i < 6000; ++i) runs.run();
  CHECK(runs.now_us() == runs.best_us());
}

TEST_CASE("A branch that takes most of the time is also explored") {
  std::vector<std::vector<double>> times(kBranches, {1.0});
  times[5] = {10'000, 5'000};
  Runs runs(times);
  for (int i = 0; i < 1000; ++i) runs.run();
  CHECK(runs.now_us() == runs.best_us());
}

}  // namespace
}  // namespace nestrt::test
