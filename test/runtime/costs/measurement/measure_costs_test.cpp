// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/measurement/measure_costs.h"

#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "test/runtime/support/virtual_units.h"
#include "test/support/evta/renamed_cpu.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

MeasureOptions quick() {
  MeasureOptions options;
  options.warmup = 1;
  options.min_runs = 2;
  options.max_runs = 3;
  return options;
}

// Returns branches_plan, with a second program of its first branch for model 1 of an NPU.
PlanFile plan_for_cpu_and_npu() {
  PlanBuilder builder = branches_plan();
  builder.build();  // completes the tables
  plan::Program program;
  program.unit = "npu";
  program.kind = plan::ProgramKind::kKernels;
  program.configuration = "model 1";
  builder.tables().branches[0].programs.push_back(std::move(program));
  return builder.build();
}

UnitList cpu_and_npu() {
  UnitList units = *open_units("cpu", {.num_threads = 1});
  units.insert(units.begin(), std::make_shared<RenamedCpu>(units[0], UnitInfo{"npu", "npu0", "model 1", 1}));
  return units;
}

}  // namespace

TEST_CASE("Every operator is measured with each number of threads") {
  PlanBuilder builder = blocked_plan();
  const PlanFile bytes = builder.build();
  const auto plan = *Plan::from_memory(bytes.bytes());
  const UnitList units = *open_units("cpu", {.num_threads = 3});
  const auto measured = measure_costs(plan, units, quick());
  REQUIRE(measured);
  const std::string& isa = units[0]->info().configuration;
  for (const int threads : {1, 2, 3}) {
    const auto cost = branch_cost(measured->costs, *plan, 0, 0, {"cpu", isa, threads});
    REQUIRE(cost);
    CHECK(cost->microseconds > 0);
    CHECK(cost->source == CostSource::kMeasured);
    CHECK(measured->costs.overheads().contains({"cpu", isa, threads}));
  }
  CHECK(measured->works.size() == 3 * plan->tables().operators.size());
  for (const WorkTimes& work : measured->works) {
    CHECK(work.runs >= 2);
    CHECK(work.first_quartile_us <= work.median_us);
    CHECK(work.median_us <= work.third_quartile_us);
  }
}

TEST_CASE("Times are assigned to operators by position without a search") {
  constexpr int kViews = 100'000;  // a linear search per operator would take 5 billion steps per run
  PlanBuilder builder;
  const int in = builder.input("in", {4}), x = builder.arena("x", {4}), y = builder.output("y", {4});
  builder.op("x", unary(ops::UnaryKind::kRelu), {in}, {x});
  builder.branch();
  for (int i = 0; i < kViews; ++i) builder.op("", ops::Reshape{.shape = {4}}, {x}, {builder.view("", x, {4})});
  builder.op("y", unary(ops::UnaryKind::kNeg), {x}, {y});
  const PlanFile bytes = builder.build();
  const auto plan = *Plan::from_memory(bytes.bytes());
  const auto measured = measure_costs(plan, *open_units("cpu", {.num_threads = 1}), quick());
  REQUIRE(measured);
  REQUIRE(measured->works.size() == 2);
  CHECK(measured->works[0].work == work_name(*plan, 0, UnitKey()));
  CHECK(measured->works[1].work == work_name(*plan, kViews + 1, UnitKey()));
  for (const WorkTimes& work : measured->works) CHECK(work.runs >= 2);
}

TEST_CASE("Accelerators are measured on branches that they have a program for") {
  const PlanFile bytes = plan_for_cpu_and_npu();
  const auto plan = Plan::from_memory(bytes.bytes());
  REQUIRE(plan);
  int64_t last = 0, total = 0;
  const auto measured = measure_costs(*plan, cpu_and_npu(), quick(), [&](int64_t done, int64_t most) {
    CHECK(done >= last);
    last = done;
    total = most;
  });
  REQUIRE(measured);
  CHECK(last == total);
  const UnitKey npu{"npu", "model 1", 1};
  CHECK(measured->costs.find(npu, program_work_name(**plan, 0, 1)) != nullptr);
  CHECK(measured->costs.find(npu, program_work_name(**plan, 1, 0)) == nullptr);
  CHECK(measured->costs.overheads().contains(npu));
}

TEST_CASE("After a failure of a unit, only the other units are measured further") {
  const PlanFile bytes = plan_for_cpu_and_npu();
  const auto plan = Plan::from_memory(bytes.bytes());
  REQUIRE(plan);
  const auto npu = std::make_shared<VirtualSpeed>();
  npu->fails = true;
  UnitList units = cpu_and_npu();
  units[0] = std::make_shared<VirtualUnit>(units[0]->info(), std::make_shared<VirtualClock>(), npu);
  int64_t last = 0, total = 0;
  const auto measured = measure_costs(*plan, units, quick(), [&](int64_t done, int64_t most) {
    CHECK(done >= last);
    last = done;
    total = most;
  });
  REQUIRE(measured);
  CHECK(last == total);
  REQUIRE(measured->failed.size() == 1);
  CHECK(measured->failed[0].unit == 0);
  CHECK(measured->failed[0].why.code() == Code::kDeviceFault);
  CHECK(measured->works.size() == 3);  // the branches on the CPU
  CHECK_FALSE(measured->costs.overheads().contains(UnitKey{"npu", "model 1", 1}));
}

TEST_CASE("After the total time limit, each remaining work runs exactly once") {
  const PlanFile bytes = plan_for_cpu_and_npu();
  const auto plan = Plan::from_memory(bytes.bytes());
  REQUIRE(plan);
  MeasureOptions options = quick();
  options.total_limit = std::chrono::milliseconds(0);
  int64_t last = 0, total = 0;
  const auto measured = measure_costs(*plan, cpu_and_npu(), options, [&](int64_t done, int64_t most) {
    last = done;
    total = most;
  });
  REQUIRE(measured);
  CHECK(last == total);
  CHECK(measured->works.size() == 4);  // three branches on the CPU, one on the npu
  for (const WorkTimes& work : measured->works) CHECK(work.runs == 1);
}

TEST_CASE("Invalid units and thread counts are rejected") {
  PlanBuilder builder = relu_plan();
  const PlanFile bytes = builder.build();
  const auto plan = *Plan::from_memory(bytes.bytes());
  CHECK(measure_costs(plan, {}, quick()).error().code() == Code::kInvalidArgument);
  CHECK(measure_costs(plan, {nullptr}, quick()).error().code() == Code::kInvalidArgument);
  MeasureOptions options = quick();
  options.threads = {2};
  const UnitList units = *open_units("cpu", {.num_threads = 1});
  CHECK(measure_costs(plan, units, options).error().code() == Code::kInvalidArgument);
}

}  // namespace nestrt::test
