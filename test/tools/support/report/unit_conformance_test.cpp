// SPDX-License-Identifier: Apache-2.0
// Tests the conformance suite of units: the CPU passes, and each case detects a unit with the corresponding fault.
#include "tools/support/report/unit_conformance.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/open_units.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::tools {
namespace {

// A fault of a CPU unit that copies buffer x to y.
struct Wrong {
  std::string_view what, caught_by;
  // Called before each run and after each successful one. `last`: the last byte of y before the run.
  std::function<void(Submission&)> before = [](Submission&) {};
  std::function<void(std::byte* x, std::byte* y, std::byte last)> after = [](std::byte*, std::byte*, std::byte) {};
  std::function<void()> at_cancel = [] {}, at_reset = [] {};
  std::function<void(int count)> at_prepared = [](int) {};
  bool fails_probe = false;
};

class WrongExecutable final : public Executable {
 public:
  WrongExecutable(const Wrong& wrong, const Plan& plan, std::unique_ptr<Executable> right, int* count)
      : wrong_(wrong), plan_(plan), right_(std::move(right)), count_(count) {
    wrong_.at_prepared(++*count_);
  }
  ~WrongExecutable() override { wrong_.at_prepared(--*count_); }
  size_t scratch_bytes() const override { return right_->scratch_bytes(); }
  void cancel(uint64_t generation) override {
    wrong_.at_cancel();
    right_->cancel(generation);
  }
  void submit(const Submission& given) override {
    const auto& tensors = plan_.tables().tensors;
    std::byte* const x = given.bindings.buffers[tensors[0].buffer];
    std::byte* const y = given.bindings.buffers[tensors[1].buffer];
    const auto last = static_cast<size_t>(tensors[1].shape.num_elements()) - 1;
    const std::byte before = y[last];
    Submission submission = given;
    wrong_.before(submission);
    const Status status = nestrt::run(*right_, submission);
    if (status.ok()) wrong_.after(x, y, before);
    given.completion->signal(given.generation, status);
  }

 private:
  const Wrong& wrong_;
  const Plan& plan_;
  const std::unique_ptr<Executable> right_;
  int* const count_;
};

class WrongUnit final : public Unit {
 public:
  explicit WrongUnit(const Wrong& wrong) : wrong_(wrong), right_(open_units("cpu", {.num_threads = 1})->front()) {}
  const UnitInfo& info() const override { return right_->info(); }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    NESTRT_ASSIGN_OR_RETURN(auto right, right_->prepare(branch));
    return std::unique_ptr<Executable>(
        std::make_unique<WrongExecutable>(wrong_, *branch.plan, std::move(right), &count_));
  }
  Status reset() override {
    wrong_.at_reset();
    return right_->reset();
  }
  Status probe() override { return wrong_.fails_probe ? Status(Code::kUnavailable, "no") : right_->probe(); }

 private:
  const Wrong& wrong_;
  const std::shared_ptr<Unit> right_;
  int count_ = 0;  // number of executables
};

std::vector<UnitConformanceResult> results_of(const Wrong& wrong) {
  const nestrt::test::PlanFile file = evta::test::copy_plan(evta::kConfigurations[0]).build();
  const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
  REQUIRE(plan);
  WrongUnit unit(wrong);
  auto results = run_unit_conformance(*plan, unit);
  REQUIRE(results);
  return *results;
}

std::vector<Wrong> wrong_units() {
  static int runs = 0;
  static std::byte before{0};
  static std::atomic<bool> is_spoiled = false;
  is_spoiled = false;
  const auto spoil = [](std::byte*, std::byte* y, std::byte) { y[0] ^= std::byte{is_spoiled.load()}; };
  return {
      {.what = "returns different results on each run",
       .caught_by = "the same inputs produce the same results",
       .after = [](std::byte*, std::byte* y, std::byte) { y[0] = static_cast<std::byte>(++runs); }},
      {.what = "returns data of the previous run",
       .caught_by = "results do not depend on earlier runs",
       .after =
           [](std::byte* x, std::byte* y, std::byte) {
             y[0] ^= x[0] == before ? std::byte{0} : before;
             before = x[0];
           }},
      {.what = "returns different results while another program is prepared",
       .caught_by = "two programs on one unit are independent",
       .after = spoil,
       .at_prepared = [](int count) { is_spoiled = count > 1; }},
      {.what = "does not write the last byte",
       .caught_by = "every byte of every result is written",
       .after = [](std::byte*, std::byte* y, std::byte last) { y[63] = last; }},
      {.what = "writes its input",
       .caught_by = "nothing but results is written",
       .after = [](std::byte* x, std::byte*, std::byte) { x[0] ^= std::byte{1}; }},
      {.what = "ignores deadlines",
       .caught_by = "a run that is submitted after its deadline ends without results, and the next one is correct",
       .before = [](Submission& submission) { submission.deadline = kNoDeadline; }},
      {.what = "returns wrong results after a cancellation",
       .caught_by =
           "a run cancelled at any time either completes with the correct results or reports that it was cancelled",
       .after = spoil,
       .at_cancel = [] { is_spoiled = true; }},
      {.what = "returns wrong results after a reset",
       .caught_by = "a unit produces the same results after a reset",
       .after = spoil,
       .at_reset = [] { is_spoiled = true; }},
      {.what = "computes correctly but fails its probe",
       .caught_by = "a probe succeeds, and programs run after it",
       .fails_probe = true},
  };
}

TEST_CASE("The CPU passes the conformance suite of units") {
  for (const UnitConformanceResult& result : results_of({})) {
    INFO(result.name);
    CHECK(result.status.to_string() == "ok");
  }
}

TEST_CASE("Each faulty unit fails the case that covers its fault") {
  const size_t count = wrong_units().size();
  CHECK(count == results_of({}).size());
  for (size_t i = 0; i < count; ++i) {
    const Wrong wrong = wrong_units()[i];
    INFO(wrong.what);
    const auto results = results_of(wrong);
    const auto result = std::ranges::find(results, wrong.caught_by, &UnitConformanceResult::name);
    REQUIRE(result != results.end());
    CHECK_FALSE(result->status.ok());
  }
}

TEST_CASE("A unit for which the plan has no program is not tested") {
  const nestrt::test::PlanFile file = evta::test::copy_plan(evta::kConfigurations[0]).build();
  const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
  REQUIRE(plan);
  const auto units = open_units("evta:sim:1x32_15_15_18_17");
  REQUIRE(units);
  CHECK(run_unit_conformance(*plan, *units->front()).error().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace nestrt::tools
