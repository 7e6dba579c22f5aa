// SPDX-License-Identifier: Apache-2.0
// Tests that costs follow the times of runs, per unit and per work.
#include "runtime/costs/measurement/learned_costs.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/costs/unit_key.h"
#include "test/support/evta/host_and_npu.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

class Learning {
 public:
  Learning() : file_(with_npu().build()), plan_(*Plan::from_memory(file_.bytes())) {
    CostTable predicted;
    for (uint32_t op = 0; op < plan_->tables().operators.size(); ++op)
      for (const UnitKey& key : {key_of(kHost, 1), key_of(kHost)})
        predicted.set(key, work_name(*plan_, op, key), {8, CostSource::kModelled});
    const UnitInfo units[] = {kHost, kNpu};
    learned.emplace(*plan_, units, predicted);
  }
  double on_host(uint32_t branch, int threads = 0) const {
    return branch_cost(learned->costs(), *plan_, branch, 0, key_of(kHost, threads))->microseconds;
  }
  // Returns the cost of program 1 of branch 0.
  double on_npu() const { return branch_cost(learned->costs(), *plan_, 0, 1, key_of(kNpu))->microseconds; }

  std::optional<LearnedCosts> learned;

 private:
  static PlanBuilder with_npu() {
    PlanBuilder builder = branches_plan();
    plan::Program& program = builder.tables().branches[0].programs.emplace_back();
    program.unit = "npu";
    program.kind = plan::ProgramKind::kBlob;
    program.segments = {builder.tables().tensors[1].buffer};  // any constant
    program.ranges = {{.size = 64, .access = plan::RangeAccess::kWrite, .tensor = 2}};
    program.costs = {{5, plan::CostOrigin::kModelled}};
    return builder;
  }
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
};

TEST_CASE("A unit's slowdown scales all of its work with any number of threads, and no other unit") {
  Learning learning;
  const double before = learning.on_host(1), one = learning.on_host(1, 1);
  learning.learned->slow_down(kHost, 3);
  CHECK(learning.on_host(1) == Approx(3 * before));
  CHECK(learning.on_host(1, 1) == Approx(3 * one));
  CHECK(learning.on_npu() == 5);
}

TEST_CASE("A unit's slowdown also scales costs that only the plan contains") {
  Learning learning;
  learning.learned->slow_down(kNpu, 2);
  CHECK(learning.on_npu() == 10);
}

TEST_CASE("A cost predicted as 0 can be corrected to any value") {
  const PlanFile file = relu_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  CostTable predicted;
  predicted.set(key_of(kHost), work_name(*plan, 0, key_of(kHost)), {0, CostSource::kMeasured});
  LearnedCosts learned(*plan, std::span(&kHost, 1), predicted);
  const double before = learned.costs().find(key_of(kHost), work_name(*plan, 0, key_of(kHost)))->microseconds;
  CHECK(before > 0);
  for (int look = 0; look < 100; ++look) learned.observe(Step(), kHost, {1e6 * before, 16});
  CHECK(learned.costs().find(key_of(kHost), work_name(*plan, 0, key_of(kHost)))->microseconds ==
        Approx(1e6 * before).epsilon(0.01));
}

TEST_CASE("An observation changes only the cost of the observed work, which then scales with its unit") {
  Learning learning;
  const double other = learning.on_host(1);
  Step step;
  step.program = 1;
  learning.learned->observe(step, kNpu, {7.5, 16});
  const double observed = learning.on_npu();
  CHECK(observed == Approx(7.5).epsilon(0.01));
  CHECK(learning.on_host(1) == other);
  learning.learned->slow_down(kNpu, 2);
  CHECK(learning.on_npu() == 2 * observed);
}

TEST_CASE("A cost that was observed in more runs changes less with each new observation") {
  Learning learning;
  Step step;
  step.program = 1;
  learning.learned->observe(step, kNpu, {10, 16});
  CHECK(learning.on_npu() == Approx(10).epsilon(0.01));  // it was never measured before
  double before = learning.on_npu(), moved = 1e9;
  for (int look = 0; look < 4; ++look) {
    learning.learned->observe(step, kNpu, {20, 16});
    CHECK(learning.on_npu() > before);
    CHECK(learning.on_npu() / before < moved);
    moved = learning.on_npu() / std::exchange(before, learning.on_npu());
  }
  CHECK(learning.on_npu() == Approx(20).epsilon(0.01));
  const auto moved_by_less = [&] {
    learning.learned->observe(step, kNpu, {10, 16, 0.5});
    return std::exchange(before, learning.on_npu()) / before;
  };
  before = learning.on_npu();
  const double known_well = moved_by_less();
  learning.learned->change_speed(kNpu, 20 / before);  // the change may differ by work, so costs become less certain
  before = learning.on_npu();
  CHECK(moved_by_less() > known_well);
}

// A convolution in three parts.
class LearningParts {
 public:
  LearningParts() : file_(divisible_plan(64).build()), plan_(*Plan::from_memory(file_.bytes())) {
    CostTable predicted;
    for (const ChannelRange part : {ChannelRange(), ChannelRange{0, 16}, ChannelRange{16, 64}, ChannelRange{32, 64}})
      predicted.set(key_of(kHost, 1), name(part), {8, CostSource::kModelled});
    learned_.emplace(*plan_, std::span(&kHost, 1), predicted);
  }
  double us(ChannelRange channels) const {
    return learned_->costs().find(key_of(kHost, 1), name(channels))->microseconds;
  }
  void observe(ChannelRange channels, double microseconds, double noise = 0) {
    Step step;
    step.branch = 1;
    step.threads = 1;
    step.channels = channels;
    learned_->observe(step, kHost, {microseconds, 16, noise});
  }

 private:
  std::string name(ChannelRange channels) const {
    constexpr uint32_t kConv = 4;
    return work_name(*plan_, kConv, UnitKey(), channels);
  }
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  std::optional<LearnedCosts> learned_;
};

TEST_CASE("A measured slice updates only the slices that were never measured") {
  LearningParts parts;
  parts.observe({16, 64}, 12);
  const double measured = parts.us({16, 64});
  CHECK(measured == Approx(12).epsilon(0.01));
  CHECK(parts.us({0, 16}) == Approx(measured));
  CHECK(parts.us({}) == Approx(measured));
  parts.observe({32, 64}, 6);
  CHECK(parts.us({16, 64}) == measured);
  CHECK(parts.us({0, 16}) == Approx(6).epsilon(0.05));
  CHECK(parts.us({0, 16}) == Approx(parts.us({32, 64})));
}

TEST_CASE("Noisy runs of a slice hardly change its cost relative to its layer") {
  LearningParts parts;
  parts.observe({16, 64}, 12, 0.2);
  CHECK(parts.us({16, 64}) > 11.5);
  CHECK(parts.us({16, 64}) < 12);
  CHECK(parts.us({32, 64}) == Approx(parts.us({16, 64})));
  const double believed = parts.us({32, 64});
  parts.observe({32, 64}, 6, 0.2);
  CHECK(parts.us({32, 64}) == Approx(std::sqrt(6 * believed)));  // implausible, so adopted partially
}

TEST_CASE("A measured slice updates the programs for equal slices of its layer once") {
  PlanBuilder builder = divisible_plan(64);
  for (const uint32_t begin : {0u, 16u, 32u}) {
    plan::Program& program = builder.tables().branches[1].programs.emplace_back();
    program.unit = kNpu.kind;
    program.kind = plan::ProgramKind::kInstructions;
    program.segments = {3};  // any constant
    program.channels = {begin, begin + 16};
    program.ranges = {{.size = 480, .access = plan::RangeAccess::kWrite, .tensor = 6, .offset = 30 * begin}};
    program.costs = {{5, plan::CostOrigin::kModelled}};
  }
  const PlanFile file = builder.build();
  const auto plan = *Plan::from_memory(file.bytes());
  LearnedCosts learned(*plan, std::span(&kNpu, 1), {});
  Step step;
  step.branch = 1;
  step.program = 2;
  step.channels = {16, 32};
  learned.observe(step, kNpu, {20, 1000});
  for (const uint32_t program : {1u, 2u, 3u})
    CHECK(branch_cost(learned.costs(), *plan, 1, program, key_of(kNpu))->microseconds == Approx(20).epsilon(0.1));
}

TEST_CASE("Steps with the same work update one cost") {
  Learning learning;
  for (int step = 0; step < 3; ++step) learning.learned->observe(Step(), kHost, {12, 16});
  CHECK(learning.on_host(0) == Approx(12).epsilon(0.01));
}

TEST_CASE("An observed cost counts as measured") {
  Learning learning;
  learning.learned->observe(Step(), kHost, {1, 16});
  const auto& works = learning.learned->costs().units().at(key_of(kHost));
  CHECK(std::ranges::count_if(works, [](const auto& work) { return work.second.source == CostSource::kMeasured; }) > 0);
}

}  // namespace
}  // namespace nestrt::test
