// SPDX-License-Identifier: Apache-2.0
// Tests that the first schedule uses the costs that a plan contains for the units of its board.
#include <catch2/catch.hpp>

#include "nestrt/driver/schedule.h"
#include "runtime/costs/stated_costs.h"
#include "runtime/plan/format/encode.h"
#include "test/runtime/support/virtual_board.h"

namespace nestrt::test {
namespace {

constexpr int kBranches = 3;

// Returns a plan with programs for "npu", whose estimated times are some microseconds, and with the host's times for
// one and for four threads.
PlanFile plan_with(float host_us, float host_us_of_four) {
  PlanFile file = chain_for_npu(kBranches);
  plan::Tables tables = (*Plan::from_memory(file.bytes()))->tables();
  tables.host_costs = {{"neon", 1, std::vector<float>(kBranches, host_us)},
                       {"neon", 4, std::vector<float>(kBranches, host_us_of_four)}};
  tables.overheads = {{"npu", "", 1, 4, 5, 0, 0}};
  return PlanFile::assemble(encode_tables(tables), {});
}

bool begins_with_npu(const PlanFile& file, const std::string& configuration, int threads) {
  const auto clock = std::make_shared<VirtualClock>();
  const auto speed = std::make_shared<VirtualSpeed>();
  const UnitList units = {
      std::make_shared<VirtualUnit>(UnitInfo{"cpu", "cpu", configuration, threads, true}, clock, speed),
      std::make_shared<VirtualUnit>(UnitInfo{"npu", "npu0", "", 1, false}, clock, speed)};
  SessionOptions options;
  options.clock = clock;
  const auto session = Session::create(*Plan::from_memory(file.bytes()), units, options);
  if (!session) FAIL(session.error().to_string());
  CHECK(speed->computed == 0);
  const Schedule schedule = (*session)->schedule();
  return std::ranges::any_of(schedule.steps, [&](const Step& step) { return schedule.lanes[step.lane].unit == 1; });
}

TEST_CASE("The first schedule uses the host costs in the plan") {
  CHECK(begins_with_npu(plan_with(1000, 900), "neon", 1));
  CHECK_FALSE(begins_with_npu(plan_with(0.1F, 900), "neon", 1));
  CHECK(begins_with_npu(plan_with(0.1F, 900), "neon", 4));
  CHECK_FALSE(begins_with_npu(plan_with(0.1F, 900), "neon", 2));  // more threads are no slower
}

TEST_CASE("Host costs for another CPU are ignored") {
  const PlanFile file = plan_with(10, 10);
  const auto plan = *Plan::from_memory(file.bytes());
  const UnitInfo other[] = {{"cpu", "cpu", "avx2", 4, true}};
  CHECK(stated_costs(*plan, other).empty());
}

TEST_CASE("The overhead of a unit is taken from the plan") {
  const PlanFile file = plan_with(10, 10);
  const auto plan = *Plan::from_memory(file.bytes());
  const UnitInfo units[] = {{"npu", "npu0", "", 1, false}};
  const UnitOverhead overhead = stated_costs(*plan, units).overhead({"npu", "", 1});
  CHECK(overhead.start_us == 4);
  CHECK(overhead.finish_us == 5);
}

}  // namespace
}  // namespace nestrt::test
