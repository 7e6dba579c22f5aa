#include "runtime/tools/nest_c_partition.h"

#include <catch2/catch.hpp>

#include "nestrt/plan.h"
#include "runtime/tools/partition_schedule.h"
#include "test/support/plan_builder.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;
using test::PlanBuilder;

// y = join(left(fork(x)), right1(right0(fork(x)))), one branch each; an EVTA has programs for left and right0.
PlanBuilder diamond() {
  PlanBuilder builder;
  const Shape shape{1, 4};
  const int x = builder.input("x", shape);
  int fork = builder.arena("fork", shape), left = builder.arena("left", shape), right = builder.arena("right", shape);
  const int inner = builder.arena("inner", shape), y = builder.output("y", shape);
  const auto add = [&](const std::string& name, auto attributes, const std::vector<int>& inputs, int output) {
    builder.op(name, attributes, inputs, {output});
    builder.branch();
  };
  add("block/fork:0", test::unary(plan::UnaryKind::relu), {x}, fork);
  add("left-1", test::unary(plan::UnaryKind::relu), {fork}, left);
  add("right", test::unary(plan::UnaryKind::relu), {fork}, inner);
  add("right", test::unary(plan::UnaryKind::relu), {inner}, right);
  add("join", test::binary(plan::BinaryKind::add), {left, right}, y);
  for (const size_t branch : {1, 2}) {
    auto program = std::make_unique<plan::ProgramT>();
    program->unit = "evta";
    builder.tables().branches[branch]->programs.push_back(std::move(program));
  }
  return builder;
}

const std::vector<UnitInfo> kUnits = {{"evta", "evta0", "", 1}, {"evta", "evta1", "", 1}, {"cpu", "cpu", "", 4}};

struct Network {
  test::PlanBytes bytes = diamond().build();
  std::shared_ptr<const Plan> plan = *Plan::from_memory(bytes.bytes());

  Result<Schedule> schedule(const std::string& text, const std::vector<UnitInfo>& units = kUnits) const {
    const auto partitions = parse_nest_c_partition(text, "p.yaml");
    if (!partitions) return partitions.error();
    return partition_schedule(*partitions, *plan, units);
  }
};

// The text of a file, of which a test may change a line.
struct File {
  std::string count = "4", backends = "CPU:VTA-0:VTA-1:CPU", names = "p0:p1:p2:p3",
              nodes = "block/fork_0-0:left_1-1:right-2:right_3-3:join-3", ids = "0:1:2:0", groups = "(p1||p2)";

  std::string text() const {
    return "---\nfuncName: diamond\nnumOfPartitions: " + count + "\nbackendNames: '" + backends +
           "'\npartitionNames: '" + names + "'\nnodeToPartition: '" + nodes + "'\nlogicalIDs: '" + ids +
           "'\nparallelPartitions: '" + groups + "'\n...\n";
  }
};

void expect_refused(const std::string& text, const std::string& why, const std::vector<UnitInfo>& units = kUnits) {
  const auto schedule = Network().schedule(text, units);
  INFO(text);
  REQUIRE_FALSE(schedule);
  CHECK(schedule.error().code() == Code::kInvalidArgument);
  CHECK_THAT(schedule.error().to_string(), Contains(why));
}

template <typename T>
File changed(T File::*line, const T& text) {
  File file;
  file.*line = text;
  return file;
}

}  // namespace

TEST_CASE("A partition plan is written as it was read") {
  const std::string text = File().text();
  const auto partitions = parse_nest_c_partition(text, "p.yaml");
  REQUIRE(partitions);
  const auto again = parse_nest_c_partition(partitions->to_yaml(), "p.yaml");
  REQUIRE(again);
  CHECK(partitions->to_yaml() == again->to_yaml());
  CHECK(again->function == "diamond");
  CHECK(again->partitions[2].backend == "VTA-1");
  CHECK(again->partitions[2].logical_id == 2);
  CHECK(again->nodes[3] == std::pair<std::string, uint32_t>("right_3", 3));
  CHECK(again->groups == std::vector<std::vector<uint32_t>>{{1, 2}});
}

TEST_CASE("Partitions of a group run side by side, all others one after the other") {
  const auto schedule = Network().schedule(File().text());
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
  const auto in_order = Network().schedule(changed(&File::groups, std::string()).text());
  REQUIRE(in_order);
  CHECK(in_order->steps[2].waits == std::vector<uint32_t>{1});
}

TEST_CASE("Partitions side by side on the CPU share its threads") {
  File file = changed(&File::backends, std::string("CPU:CPU:CPU:CPU"));
  file.nodes = "block/fork_0-0:left_1-1:right-2:right_3-2:join-3";
  const auto schedule = Network().schedule(file.text());
  REQUIRE(schedule);
  CHECK(schedule->lanes.size() == 2);
  CHECK(schedule->steps[1].lane == 0);
  CHECK(schedule->steps[1].threads == 2);
  CHECK(schedule->steps[2].lane == 1);
  CHECK(schedule->steps[3].lane == 1);
  CHECK(schedule->steps[3].threads == 2);
  CHECK(schedule->steps[4].threads == 0);
  const auto alone = Network().schedule(file.text(), {{"cpu", "cpu", "", 1}});
  REQUIRE(alone);
  CHECK(alone->lanes.size() == 1);
  CHECK(alone->steps[2].threads == 0);
}

TEST_CASE("A backend without a number is the first of its kind") {
  const auto schedule = Network().schedule(changed(&File::backends, std::string("CPU:VTA:VTA-1:CPU")).text());
  REQUIRE(schedule);
  CHECK(schedule->lanes[schedule->steps[1].lane].unit == 0);
}

TEST_CASE("Partition plans that are none are refused with the line") {
  for (const char* text : {"", "[", "- a", "funcName: {", "a: b", "funcName: f\nfuncName: g", "\x01"})
    CHECK_FALSE(parse_nest_c_partition(text, "p.yaml"));
  expect_refused("funcName: f\nnumber: 3\n", "line 2: 'number' means nothing here");
  expect_refused("funcName: f\n", "'numOfPartitions' is missing");
  const auto refuses = [](std::string File::*line, const std::string& text, const std::string& why) {
    expect_refused(changed(line, text).text(), why);
  };
  refuses(&File::count, "0", "line 3: numOfPartitions: expected a number from 1");
  refuses(&File::count, "5", "line 5: partitionNames has 4 items, but numOfPartitions is 5");
  refuses(&File::backends, "CPU:VTA-0", "line 4: backendNames has 2 items");
  refuses(&File::backends, "CPU::VTA-0:CPU", "something on both sides of each ':'");
  refuses(&File::names, "p0:p1:p1:p3", "'p1' is there twice");
  refuses(&File::ids, "0:1:2:x", "line 7: logicalIDs: expected a number");
  refuses(&File::nodes, "join", "line 6: nodeToPartition: expected NODE-PARTITION");
  refuses(&File::nodes, "-1", "expected NODE-PARTITION");
  refuses(&File::nodes, "join-4", "expected a number from 0 to 3, got 4");
  refuses(&File::nodes, "", "expected NODE-PARTITION");
  refuses(&File::groups, "(p1||p7)", "line 8: parallelPartitions: '(p1||p7)': there is no partition 'p7'");
  refuses(&File::groups, "(p1||p2):(p2||p3)", "'p2' is there twice");
  for (const char* text : {"(p1)", "p1||p2", "(", ")", "()", "(p1||p2", ":"})
    refuses(&File::groups, text, "parallelPartitions: ");
}

TEST_CASE("Partition plans of another network or other units are refused with what is wrong") {
  const auto refuses = [](std::string File::*line, const std::string& text, const std::string& why) {
    expect_refused(changed(line, text).text(), why);
  };
  refuses(&File::nodes, File().nodes + ":fork-1", "the plan has no node 'fork'; nestc partition writes its names");
  refuses(&File::nodes, File().nodes + ":join-3", "'join' is there twice");
  refuses(&File::nodes, "left_1-1:right-2:join-3", "'block/fork_0' and 1 more of the plan are in no partition");
  refuses(&File::backends, "CPU:VTA-0:VTA-2:CPU", "partition 'p2' is for VTA-2, but the units are VTA-0, VTA-1, CPU");
  refuses(&File::backends, "VTA-0:VTA-0:VTA-1:CPU",
          "VTA-0 has no program for 'block/fork_0', which is in partition 'p0'");
  refuses(&File::groups, "(p2||p3)", "'p3' reads what 'p2' computes");
  refuses(&File::nodes, "block/fork_0-0:left_1-3:right-2:right_3-3:join-2",
          "needs each other, so that neither can run first");
}

}  // namespace nestrt::tools
