// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include <catch2/catch.hpp>
#include <limits>

#include "runtime/costs/estimated_costs.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

const UnitInfo kUnits[] = {{"npu", "npu0", "one", 1}, {"cpu", "cpu", "isa", 2, true}};

// Returns a plan with one operator per branch. Some branches are only views of the results of others. The second may
// run on the NPU.
PlanFile views_on_two_units() {
  PlanBuilder builder = views_plan();
  plan::Tables& tables = builder.tables();
  tables.branches.clear();
  for (uint32_t op = 0; op < tables.operators.size(); ++op) {
    plan::Branch& branch = tables.branches.emplace_back();
    branch.operators = {op};
    if (op == 1) branch.programs.emplace_back().unit = "npu";
    branch.programs.emplace_back().unit = "cpu";
  }
  return builder.build();
}

struct ViewsOnTwoUnits {
  ViewsOnTwoUnits() {
    for (uint32_t op = 0; op < plan->tables().operators.size(); ++op) {
      const UnitKey cpu{"cpu", "isa", 2}, npu{"npu", "one", 1};
      costs.set(cpu, work_name(*plan, op, cpu), {20, CostSource::kMeasured});
      costs.set(npu, work_name(*plan, op, npu), {10, CostSource::kMeasured});
    }
  }

  Result<SchedulePrediction> predict(const Schedule& schedule) const {
    return predict_schedule(*plan, kUnits, costs, schedule);
  }

  const PlanFile file = views_on_two_units();
  const std::shared_ptr<const Plan> plan = *Plan::from_memory(file.bytes());
  CostTable costs;
};

TEST_CASE("The prediction of a schedule in file order counts no time for views") {
  const ViewsOnTwoUnits views;
  ScheduleOptions options;
  options.method = ScheduleMethod::kFileOrder;
  const Result<Schedule> in_order = make_schedule(*views.plan, kUnits, views.costs, options);
  REQUIRE(in_order);
  REQUIRE(in_order->steps.size() == views.plan->tables().branches.size());
  const Result<SchedulePrediction> prediction = views.predict(*in_order);
  REQUIRE(prediction);
  REQUIRE(prediction->step_us.size() == in_order->steps.size());
  double one_by_one = 0;
  for (const double us : prediction->step_us) one_by_one += us;
  CHECK(one_by_one == 20 + 10 + 20 + 20);  // relu, neg, twice, abs
  CHECK(prediction->makespan_us == Approx(one_by_one));
}

TEST_CASE("A schedule with invalid indices is rejected") {
  const ViewsOnTwoUnits views;
  const Result<Schedule> good = make_schedule(*views.plan, kUnits, views.costs);
  REQUIRE(good);
  REQUIRE(views.predict(*good));
  const auto check_refused = [&](auto change) {
    Schedule bad = *good;
    change(bad.steps.back(), bad);
    const Result<SchedulePrediction> prediction = views.predict(bad);
    REQUIRE_FALSE(prediction);
    CHECK(prediction.error().code() == Code::kInvalidArgument);
  };
  check_refused([](Step& step, Schedule&) { step.branch = 1000; });
  check_refused([](Step& step, Schedule&) { step.program = 1000; });
  check_refused([](Step& step, Schedule&) { step.lane = 1000; });
  check_refused([](Step& step, Schedule&) { step.waits = {1000}; });
  check_refused([](Step& step, Schedule&) { step.threads = 1000; });
  check_refused([](Step&, Schedule& schedule) { schedule.lanes[0].unit = 1000; });
  check_refused([](Step&, Schedule& schedule) { schedule.steps.pop_back(); });
  check_refused([](Step& step, Schedule& schedule) { schedule.steps.push_back(step); });
}

TEST_CASE("Every method rejects an invalid cost and names its branch") {
  ViewsOnTwoUnits views;
  const UnitKey cpu{"cpu", "isa", 2};
  const Result<Schedule> good = make_schedule(*views.plan, kUnits, views.costs);
  REQUIRE(good);
  for (const double cost :
       {-0.001, 1e18, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    views.costs.set(cpu, work_name(*views.plan, 0, cpu), {cost, CostSource::kMeasured});
    for (const ScheduleMethod method : {ScheduleMethod::kSequential, ScheduleMethod::kGroupEnumeration,
                                        ScheduleMethod::kOptimum, ScheduleMethod::kThroughput}) {
      ScheduleOptions options;
      options.method = method;
      const Result<Schedule> schedule = make_schedule(*views.plan, kUnits, views.costs, options);
      REQUIRE_FALSE(schedule);
      CHECK(schedule.error().code() == Code::kInvalidArgument);
    }
    const Result<SchedulePrediction> prediction = views.predict(*good);
    REQUIRE_FALSE(prediction);
    CHECK(prediction.error().code() == Code::kInvalidArgument);
  }
  CHECK_FALSE(branch_cost(views.costs, *views.plan, 1000, 0, cpu));
  CHECK_FALSE(branch_cost(views.costs, *views.plan, 0, 1000, cpu));
}

TEST_CASE("An invalid demand of other sessions is rejected") {
  const ViewsOnTwoUnits views;
  for (const double share : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ScheduleOptions options;
    options.others = {0.5, share};
    const Result<Schedule> schedule = make_schedule(*views.plan, kUnits, views.costs, options);
    REQUIRE_FALSE(schedule);
    CHECK(schedule.error().code() == Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace nestrt::test
