// Work that nobody has measured.
#include "runtime/costs/estimated_costs.h"

#include <catch2/catch.hpp>

#include "nestrt/schedule.h"
#include "runtime/costs/unit_key.h"
#include "test/support/host_and_npu.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

TEST_CASE("With estimates every plan can be scheduled, on units that nothing is known of as well") {
  for (PlanBuilder builder : {branches_plan(), blocked_plan(), views_plan(), movement_plan(), classifier_plan()}) {
    builder.tables().branches[0].programs.emplace_back().unit = "npu";
    const PlanFile file = builder.build();
    const auto plan = Plan::from_memory(file.bytes());
    REQUIRE(plan);
    const UnitInfo units[] = {kHost, kNpu};
    CostTable costs;
    CHECK_FALSE(make_schedule(**plan, units, costs));
    add_estimates(**plan, units, costs);
    CHECK(make_schedule(**plan, units, costs));
  }
}

TEST_CASE("What is known is not estimated, and more arithmetic costs more") {
  const PlanFile file = blocked_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  CostTable costs;
  costs.set(key_of(kHost), work_name(*plan, 0), {0.25, CostSource::kMeasured});
  add_estimates(*plan, std::span(&kHost, 1), costs);
  const auto us = [&](uint32_t op) { return costs.find(key_of(kHost), work_name(*plan, op))->microseconds; };
  CHECK(us(0) == 0.25);
  CHECK(us(1) > us(3));  // a convolution, a pool
}

}  // namespace
}  // namespace nestrt::test
