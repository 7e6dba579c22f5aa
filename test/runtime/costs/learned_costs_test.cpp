// Costs follow what runs have shown, unit by unit and work by work.
#include "runtime/costs/learned_costs.h"

#include <catch2/catch.hpp>

#include "runtime/costs/unit_key.h"
#include "test/support/host_and_npu.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

class Learning {
 public:
  Learning() : file_(with_npu().build()), plan_(*Plan::from_memory(file_.bytes())) {
    CostTable predicted;
    for (uint32_t op = 0; op < plan_->tables().operators.size(); ++op)
      for (const UnitKey& key : {key_of(kHost, 1), key_of(kHost)})
        predicted.set(key, work_name(*plan_, op), {8, CostSource::kModelled});
    const UnitInfo units[] = {kHost, kNpu};
    learned.emplace(*plan_, units, predicted);
  }
  double on_host(uint32_t branch, int threads = 0) const {
    return branch_cost(learned->costs(), *plan_, branch, 0, key_of(kHost, threads))->microseconds;
  }
  // Program 1 of branch 0.
  double on_npu() const { return branch_cost(learned->costs(), *plan_, 0, 1, key_of(kNpu))->microseconds; }

  std::optional<LearnedCosts> learned;

 private:
  static PlanBuilder with_npu() {
    PlanBuilder builder = branches_plan();
    plan::Program& program = builder.tables().branches[0].programs.emplace_back();
    program.unit = "npu";
    program.kind = plan::ProgramKind::kBlob;
    program.segments = {builder.tables().tensors[1].buffer};  // any constant
    program.costs = {{5, plan::CostOrigin::kModelled}};
    return builder;
  }
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
};

TEST_CASE("A unit's slowdown reaches all its work, with any number of threads, and no other unit's") {
  Learning learning;
  const double before = learning.on_host(1), one = learning.on_host(1, 1);
  learning.learned->slow_down(kHost, 3);
  CHECK(learning.on_host(1) == Approx(3 * before));
  CHECK(learning.on_host(1, 1) == Approx(3 * one));
  CHECK(learning.on_npu() == 5);
}

TEST_CASE("A unit's slowdown reaches what only the plan knows the cost of") {
  Learning learning;
  learning.learned->slow_down(kNpu, 2);
  CHECK(learning.on_npu() == 10);
}

TEST_CASE("Work that is said to cost nothing can become dear") {
  const PlanFile file = relu_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  CostTable predicted;
  predicted.set(key_of(kHost), work_name(*plan, 0), {0, CostSource::kMeasured});
  LearnedCosts learned(*plan, std::span(&kHost, 1), predicted);
  const double before = learned.costs().find(key_of(kHost), work_name(*plan, 0))->microseconds;
  CHECK(before > 0);
  learned.correct(Step(), kHost, 1e6);
  CHECK(learned.costs().find(key_of(kHost), work_name(*plan, 0))->microseconds == Approx(1e6 * before));
}

TEST_CASE("A correction is of one step's work, and stays its own when the unit changes") {
  Learning learning;
  const double other = learning.on_host(1);
  Step step;
  step.program = 1;
  learning.learned->correct(step, kNpu, 1.5);
  CHECK(learning.on_npu() == 7.5);
  CHECK(learning.on_host(1) == other);
  learning.learned->slow_down(kNpu, 2);
  CHECK(learning.on_npu() == 15);
}

TEST_CASE("What was corrected counts as measured") {
  Learning learning;
  learning.learned->correct(Step(), kHost, 1);
  const auto& works = learning.learned->costs().units().at(key_of(kHost));
  CHECK(std::ranges::count_if(works, [](const auto& work) { return work.second.source == CostSource::kMeasured; }) > 0);
}

}  // namespace
}  // namespace nestrt::test
