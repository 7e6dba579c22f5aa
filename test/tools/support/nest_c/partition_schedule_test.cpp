// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/partition_schedule.h"

#include <catch2/catch.hpp>

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "test/support/plan/plan_builder.h"
#include "test/tools/support/nest_c/partition_file.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;
using test::PartitionDamage;
using test::PartitionFile;
using test::PlanBuilder;

// Returns y = join(left(fork(x)), right1(right0(fork(x)))), one branch each; an EVTA has programs for left and right0.
PlanBuilder diamond() {
  PlanBuilder builder;
  const Shape shape{1, 4};
  const int x = builder.input("x", shape);
  int fork = builder.arena("fork", shape), left = builder.arena("left", shape), right = builder.arena("right", shape);
  const int inner = builder.arena("inner", shape), y = builder.output("y", shape);
  const auto add = [&](const std::string& name, const ops::Attributes& attributes, const std::vector<int>& inputs,
                       int output) {
    builder.op(name, attributes, inputs, {output});
    builder.branch();
  };
  add("block/fork:0", test::unary(ops::UnaryKind::kRelu), {x}, fork);
  add("left-1", test::unary(ops::UnaryKind::kRelu), {fork}, left);
  add("right", test::unary(ops::UnaryKind::kRelu), {fork}, inner);
  add("right", test::unary(ops::UnaryKind::kRelu), {inner}, right);
  add("join", test::binary(ops::BinaryKind::kAdd), {left, right}, y);
  for (const size_t branch : {1, 2}) builder.tables().branches[branch].programs.emplace_back().unit = "evta";
  return builder;
}

const std::vector<UnitInfo> kUnits = {{"evta", "evta0", "", 1}, {"evta", "evta1", "", 1}, {"cpu", "cpu", "", 4, true}};

struct ScheduledNetwork {
  test::PlanFile bytes = diamond().build();
  std::shared_ptr<const Plan> plan = *Plan::from_memory(bytes.bytes());

  Result<Schedule> schedule(const std::string& text, const std::vector<UnitInfo>& units = kUnits) const {
    const auto partitions = parse_nest_c_partition(text, "p.yaml");
    if (!partitions) return partitions.error();
    return partition_schedule(*partitions, *plan, units);
  }
};

void expect_schedule_refused(const std::string& text, const std::string& why) {
  const auto schedule = ScheduledNetwork().schedule(text);
  INFO(text);
  REQUIRE_FALSE(schedule);
  CHECK(schedule.error().code() == Code::kInvalidArgument);
  CHECK_THAT(schedule.error().to_string(), Contains(why));
}

}  // namespace

TEST_CASE("Partitions of a group run concurrently, all others sequentially") {
  const auto schedule = ScheduledNetwork().schedule(PartitionFile().text());
  if (!schedule) FAIL(schedule.error().to_string());
  REQUIRE(schedule->lanes.size() == 3);
  CHECK(schedule->lanes[0].unit == 2);
  REQUIRE(schedule->steps.size() == 5);
  const auto expect = [&](size_t index, uint32_t branch, uint32_t unit, const std::vector<uint32_t>& waits) {
    const Step& step = schedule->steps[index];
    CHECK(step.branch == branch);
    CHECK(schedule->lanes[step.lane].unit == unit);
    CHECK(step.program == (unit == 2 ? 0 : 1));
    CHECK(step.threads == 0);
    CHECK(step.waits == waits);
  };
  expect(0, 0, 2, {});
  expect(1, 1, 0, {0});
  expect(2, 2, 1, {0});
  expect(3, 3, 2, {1, 2});
  expect(4, 4, 2, {});
  const auto in_order = ScheduledNetwork().schedule(changed(&PartitionFile::groups, "").text());
  REQUIRE(in_order);
  CHECK(in_order->steps[2].waits == std::vector<uint32_t>{1});
}

TEST_CASE("Concurrent partitions on the CPU share its threads") {
  PartitionFile file = changed(&PartitionFile::backends, "CPU:CPU:CPU:CPU");
  file.nodes = "block/fork_0-0:left_1-1:right-2:right_3-2:join-3";
  const auto schedule = ScheduledNetwork().schedule(file.text());
  REQUIRE(schedule);
  CHECK(schedule->lanes.size() == 2);
  CHECK(schedule->steps[1].lane == 0);
  CHECK(schedule->steps[1].threads == 2);
  CHECK(schedule->steps[2].lane == 1);
  CHECK(schedule->steps[3].lane == 1);
  CHECK(schedule->steps[3].threads == 2);
  CHECK(schedule->steps[4].threads == 0);
  const auto alone = ScheduledNetwork().schedule(file.text(), {{"cpu", "cpu", "", 1, true}});
  REQUIRE(alone);
  CHECK(alone->lanes.size() == 1);
  CHECK(alone->steps[2].threads == 0);
}

TEST_CASE("A backend without a number is the first of its kind") {
  const auto schedule = ScheduledNetwork().schedule(changed(&PartitionFile::backends, "CPU:VTA:VTA-1:CPU").text());
  REQUIRE(schedule);
  CHECK(schedule->lanes[schedule->steps[1].lane].unit == 0);
}

TEST_CASE("Partition plans of a different network or for different units are rejected with the reason") {
  const std::string all = PartitionFile().nodes;
  const PartitionDamage damages[] = {
      {&PartitionFile::nodes, all + ":fork-1", "the plan has no node 'fork'; nestc partition writes its names"},
      {&PartitionFile::nodes, all + ":join-3", "'join' is listed twice"},
      {&PartitionFile::nodes, "left_1-1:right-2:join-3", "'block/fork_0' and 1 more of the plan are in no partition"},
      {&PartitionFile::nodes, "block/fork_0-0:left_1-3:right-2:right_3-3:join-2",
       "depend on each other, so neither can run first"},
      {&PartitionFile::backends, "CPU:VTA-0:VTA-2:CPU",
       "partition 'p2' is for VTA-2, but the units are VTA-0, VTA-1, CPU"},
      {&PartitionFile::backends, "VTA-0:VTA-0:VTA-1:CPU",
       "VTA-0 has no program for 'block/fork_0', which is in partition 'p0'"},
      {&PartitionFile::groups, "(p2||p3)", "'p3' reads what 'p2' computes"},
  };
  for (const PartitionDamage& damage : damages)
    expect_schedule_refused(changed(damage.line, damage.text).text(), damage.why);
}

TEST_CASE("Cyclic partitions are named starting at the first one found") {
  PartitionFile file = changed(&PartitionFile::nodes, "block/fork_0-0:left_1-3:right-2:right_3-3:join-2");
  file.groups = "";
  expect_schedule_refused(file.text(), "'p2' and 'p3' depend on each other");
  file.groups = "(p1||p2)";
  expect_schedule_refused(file.text(), "'p1' and 'p3' depend on each other");
}

}  // namespace nestrt::tools
