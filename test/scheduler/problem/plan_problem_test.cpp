// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/plan_problem.h"

#include <catch2/catch.hpp>

#include "runtime/costs/estimated_costs.h"
#include "scheduler/simulation/virtual_time.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

using scheduler::make_problem;

const UnitInfo kCpu{"cpu", "cpu", "isa", 2, true};
const UnitInfo kNpu{"npu", "npu0", "one", 1};

// A plan with one branch per operator. The named operators also have a program for the NPU.
struct Built {
  Built(PlanBuilder builder, const std::vector<std::string>& on_npu) : bytes(build(builder, on_npu)) {
    plan = *Plan::from_memory(bytes.bytes());
  }

  static PlanFile build(PlanBuilder& builder, const std::vector<std::string>& on_npu) {
    plan::Tables& tables = builder.tables();
    tables.branches.clear();
    for (uint32_t op = 0; op < tables.operators.size(); ++op) {
      plan::Branch branch;
      branch.operators = {op};
      for (const char* unit : {"npu", "cpu"}) {
        const bool has_npu = std::find(on_npu.begin(), on_npu.end(), tables.operators[op].name) != on_npu.end();
        if (unit == std::string("npu") && !has_npu) continue;
        branch.programs.emplace_back().unit = unit;
      }
      tables.branches.push_back(std::move(branch));
    }
    return builder.build();
  }

  CostTable costs(const UnitInfo& unit, int threads, double microseconds) const {
    CostTable table;
    for (uint32_t op = 0; op < plan->tables().operators.size(); ++op)
      table.set({unit.kind, unit.configuration, threads},
                work_name(*plan, op, {unit.kind, unit.configuration, threads}), {microseconds, CostSource::kMeasured});
    return table;
  }

  PlanFile bytes;
  std::shared_ptr<const Plan> plan;
};

CostTable both_units(const Built& built) {
  CostTable costs = built.costs(kCpu, 2, 20);
  costs.merge(built.costs(kNpu, 1, 10));
  costs.set_overhead({"npu", "one", 1}, {3, 4, 16});
  return costs;
}

TEST_CASE("A task has a choice for each unit that has a program") {
  const Built built(branches_plan(), {"right"});
  const UnitInfo units[] = {kNpu, kCpu};
  const auto problem = make_problem(*built.plan, units, both_units(built));
  REQUIRE(problem);
  REQUIRE(problem->tasks.size() == 3);
  CHECK(problem->tasks[0].choices.size() == 1);
  CHECK(problem->tasks[1].choices.size() == 2);
  CHECK(problem->lanes[0].unit == 1);
  CHECK(problem->tasks[2].inputs.size() == 2);
  CHECK(problem->tasks[2].inputs[0].bytes == 64);
  CHECK((problem->tasks[1].reads_caller && problem->tasks[1].caller_bytes == 64));
  CHECK((problem->tasks[2].is_result && problem->tasks[2].result_bytes == 64));
}

TEST_CASE("The CPU's threads are divided if costs with fewer threads are known") {
  const Built built(branches_plan(), {});
  const UnitInfo units[] = {kCpu};
  CHECK(make_problem(*built.plan, units, built.costs(kCpu, 2, 20))->tasks[0].choices.size() == 1);
  CostTable costs = built.costs(kCpu, 2, 20);
  costs.merge(built.costs(kCpu, 1, 30));
  const auto problem = make_problem(*built.plan, units, costs);
  REQUIRE(problem);
  CHECK(problem->tasks[0].choices.size() == 3);
  CHECK(problem->tasks[2].choices.size() == 1);  // nothing runs next to it
  const auto schedule = make_schedule(*built.plan, units, costs);
  REQUIRE(schedule);
  CHECK(schedule->makespan_us == 50);  // 30 concurrently, 20 with both threads; one by one 60
  CHECK(schedule->lower_bound_us == 50);
  CHECK(schedule->lanes.size() == 2);
  CHECK(schedule->steps[2].waits.size() == 1);
  CHECK(schedule->steps[2].threads == 0);
}

TEST_CASE("Branches run concurrently on different units") {
  const Built built(branches_plan(), {"right"});
  const UnitInfo units[] = {kCpu, kNpu};
  const auto schedule = make_schedule(*built.plan, units, both_units(built));
  REQUIRE(schedule);
  // Transfer to the unit: 3 to start, then 64 bytes at 16 bytes per microsecond. Step: 10. Transfer back: 4 to finish,
  // then 4 for the bytes. Join: 20.
  CHECK(schedule->makespan_us == 3 + 4 + 10 + 4 + 4 + 20);
  ScheduleOptions options;
  options.method = ScheduleMethod::kSequential;
  CHECK(make_schedule(*built.plan, units, both_units(built), options)->makespan_us == 60);
  options.method = ScheduleMethod::kFileOrder;
  CHECK(make_schedule(*built.plan, units, {}, options)->steps.size() == 3);
}

TEST_CASE("A view of memory has no step and its reader depends on the viewed task") {
  const Built built(views_plan(), {});
  const UnitInfo units[] = {kCpu};
  const auto problem = make_problem(*built.plan, units, built.costs(kCpu, 2, 20));
  REQUIRE(problem);
  REQUIRE(problem->tasks.size() == 4);
  const auto& doubled = problem->tasks[2].inputs;
  REQUIRE(doubled.size() == 2);
  CHECK((doubled[0].bytes == 16 && doubled[1].bytes == 16));
  CHECK(problem->tasks[3].inputs.size() == 2);
}

// Returns a plan whose convolution has programs for eight consecutive parts on the NPU.
PlanBuilder plan_in_eight_parts() {
  constexpr uint32_t kParts = 8, kPartChannels = 16;
  constexpr uint64_t kPixels = 30;
  PlanBuilder builder = divisible_plan(kParts * kPartChannels);
  std::vector<plan::Program>& programs = builder.tables().branches[1].programs;
  for (uint32_t part = 0; part < kParts; ++part) {
    plan::Program made;
    made.unit = kNpu.kind;
    made.kind = plan::ProgramKind::kInstructions;
    made.channels = {part * kPartChannels, (part + 1) * kPartChannels};
    made.segments = {2};
    const uint64_t size = kPartChannels * kPixels, offset = part * size;
    made.ranges = {{0x10000, 32 * kPixels, plan::RangeAccess::kRead, 4},
                   {0x20000, size, plan::RangeAccess::kRead, 5, 0, plan::RangeLayout::kPlain, offset},
                   {0x30000, size, plan::RangeAccess::kWrite, 6, 0, plan::RangeLayout::kPlain, offset}};
    programs.push_back(std::move(made));
  }
  return builder;
}

TEST_CASE("An unmeasured slice on the CPU costs its share of the work and one call per rectangle") {
  PlanBuilder builder = plan_in_eight_parts();
  std::vector<plan::Program>& programs = builder.tables().branches[1].programs;
  // keeps the CPU's program, and the program for the first 16 of 128 channels
  programs.erase(programs.begin() + 2, programs.end());
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  const UnitInfo units[] = {kNpu, kCpu};
  CostTable costs;
  add_estimates(**plan, units, costs, rates_of_any_host());
  scheduler::SharedResources shared;
  shared.awake_us = {0, 0};
  shared.bytes = [](uint32_t, uint32_t, ChannelRange) { return 0.0; };
  const auto part_us = [&](double kernel_us) {
    shared.kernel_us = kernel_us;
    const auto problem = make_problem(**plan, units, costs, {.shared = &shared});
    REQUIRE(problem);
    double us = 0;
    for (const scheduler::Task& task : problem->tasks)
      for (const scheduler::Choice& choice : task.choices)
        if (choice.parts.size() == 2 && choice.parts[1].channels.begin == 16) us = choice.parts[1].us;
    REQUIRE(us > 0);
    return us;
  };
  CHECK(part_us(4) == Approx(part_us(0) + 4 * (1 - 7.0 / 8)));
}

TEST_CASE("A layer is split among at most as many units as a choice supports") {
  const PlanFile file = plan_in_eight_parts().build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  std::vector<UnitInfo> units = {kCpu};
  for (int i = 0; i < 8; ++i) units.push_back({kNpu.kind, "npu" + std::to_string(i), kNpu.configuration, 1});
  CostTable costs;
  add_estimates(**plan, units, costs, rates_of_any_host());
  const auto problem = make_problem(**plan, units, costs);
  REQUIRE(problem);
  size_t most = 0;
  for (const scheduler::Task& task : problem->tasks)
    for (const scheduler::Choice& choice : task.choices) most = std::max(most, choice.parts.size());
  CHECK(most == scheduler::kMaxParts - 1);  // the host has one of them
  CHECK(make_schedule(**plan, units, costs));
}

TEST_CASE("A missing cost is an error that names the operator") {
  const Built built(branches_plan(), {"right"});
  const UnitInfo units[] = {kCpu, kNpu};
  const auto problem = make_problem(*built.plan, units, built.costs(kCpu, 2, 20));
  REQUIRE_FALSE(problem);
  CHECK(problem.error().code() == Code::kNotFound);
  CHECK(problem.error().message().find("right") != std::string_view::npos);
}

TEST_CASE("A branch that no unit can run is an error") {
  const Built built(branches_plan(), {"right"});
  const UnitInfo units[] = {kNpu};
  const auto schedule = make_schedule(*built.plan, units, both_units(built));
  REQUIRE_FALSE(schedule);
  CHECK(schedule.error().code() == Code::kIncompatible);
}

}  // namespace
}  // namespace nestrt::test
