// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "nestrt/driver/costs.h"
#include "test/support/plan/plan_builder.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// A plan with its bytes, which must outlive it.
struct Built {
  explicit Built(PlanBuilder builder) : bytes(builder.build()), plan(*Plan::from_memory(bytes.bytes())) {}
  PlanFile bytes;
  std::shared_ptr<const Plan> plan;
};

const UnitKey kCpu{"cpu", "isa", 1};

// Returns costs of 10 us for each operator of the plan.
CostTable costs_of(const Plan& plan, const UnitKey& unit) {
  CostTable costs;
  for (uint32_t op = 0; op < plan.tables().operators.size(); ++op)
    costs.set(unit, work_name(plan, op, unit), {10, CostSource::kMeasured});
  return costs;
}

PlanBuilder pool_plan(const ops::Pool& pool, const Shape& output) {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 16, 8, 8});
  const int y = builder.output("y", output);
  builder.op("pool", pool, {x}, {y});
  return builder;
}

ops::Pool small_pool() {
  ops::Pool pool;
  pool.kernel = {2, 2};
  pool.stride = {2, 2};
  pool.dilation = {1, 1};
  pool.pad_begin = {0, 0};
  pool.pad_end = {0, 0};
  return pool;
}

// Returns two branches with the same operator and one NPU program each, whose times the plan contains.
PlanBuilder twins_plan(float first_us, float second_us) {
  PlanBuilder builder;
  const int x = builder.input("x", {4}), between = builder.arena("between", {4}), y = builder.output("y", {4});
  const int code = builder.constant<float>("code", {4}, {1, 2, 3, 4});
  builder.op("first", unary(ops::UnaryKind::kRelu), {x}, {between});
  builder.branch();
  builder.op("second", unary(ops::UnaryKind::kRelu), {between}, {y});
  builder.branch();
  for (uint32_t branch = 0; branch < 2; ++branch) {
    plan::Program& program = builder.tables().branches[branch].programs.emplace_back();
    program.unit = "npu";
    program.kind = plan::ProgramKind::kBlob;
    program.segments = {builder.tables().tensors[static_cast<uint32_t>(code)].buffer};
    program.ranges = {{.size = 16, .access = plan::RangeAccess::kWrite, .tensor = branch == 0 ? between : y}};
    program.costs = {{branch == 0 ? first_us : second_us, plan::CostOrigin::kModelled}};
  }
  return builder;
}

}  // namespace

TEST_CASE("A work name describes the work completely in one line") {
  const Built built(pool_plan(small_pool(), {1, 16, 4, 4}));
  CHECK(work_name(*built.plan, 0, UnitKey()) ==
        "Pool kernel=2,2 stride=2,2 dilation=1,1 pad_begin=0,0 pad_end=0,0: f32 1x16x8x8 -> f32 1x16x4x4");
  CHECK(work_name(*built.plan, 0, UnitKey(), {0, 16}).ends_with(" -> f32 1x16x4x4 channels 0-16"));
  CHECK(work_name(*built.plan, 0, UnitKey(), {0, 0, 1, 3}).ends_with(" channels 0:1-0:3"));
}

TEST_CASE("Work names differ if any attribute differs") {
  std::set<std::string> names;
  const auto add = [&](auto change, Shape output = {1, 16, 4, 4}) {
    ops::Pool pool = small_pool();
    change(pool);
    const Built built(pool_plan(pool, output));
    names.insert(work_name(*built.plan, 0, UnitKey()));
  };
  add([](ops::Pool&) {});
  add([](ops::Pool& pool) { pool.kind = ops::PoolKind::kAverage; });
  add([](ops::Pool& pool) { pool.count_include_pad = true; });
  add([](ops::Pool& pool) { pool.ceil_mode = true; });
  add([](ops::Pool& pool) { pool.kernel = {1, 2}; });
  add([](ops::Pool& pool) { pool.kernel = {2, 1}; });
  add([](ops::Pool& pool) { pool.kind = ops::PoolKind::kLp, pool.p = 3; });
  add([](ops::Pool& pool) { pool.stride = {4, 2}; }, {1, 16, 2, 4});
  CHECK(names.size() == 8);
}

TEST_CASE("Numbers in work names have full precision") {
  const auto name_with = [](float alpha) {
    PlanBuilder builder;
    ops::Unary attributes = unary(ops::UnaryKind::kLeakyRelu);
    attributes.alpha = alpha;
    builder.op("op", attributes, {builder.input("x", {4})}, {builder.output("y", {4})});
    const Built built(std::move(builder));
    return work_name(*built.plan, 0, UnitKey());
  };
  CHECK(name_with(0.1F) == "Unary kind=leaky_relu alpha=0.1: f32 4 -> f32 4");
  CHECK(name_with(1e-7F) != name_with(1.0000001e-7F));
}

TEST_CASE("A branch costs the sum of its operators") {
  const Built built(blocked_plan());
  const CostTable costs = costs_of(*built.plan, kCpu);
  const auto cost = branch_cost(costs, *built.plan, 0, 0, kCpu);
  REQUIRE(cost);
  CHECK(cost->microseconds == Approx(10.0 * static_cast<double>(built.plan->tables().operators.size())));
  CHECK(cost->source == CostSource::kMeasured);
}

TEST_CASE("Views cost nothing") {
  const Built built(views_plan());
  CostTable costs;
  uint32_t computed = 0;
  for (uint32_t op = 0; op < built.plan->tables().operators.size(); ++op) {
    const std::string name = work_name(*built.plan, op, UnitKey());
    if (name.find("(view)") != std::string::npos) continue;
    costs.set(kCpu, name, {1, CostSource::kMeasured});
    ++computed;
  }
  const auto cost = branch_cost(costs, *built.plan, 0, 0, kCpu);
  REQUIRE(cost);
  CHECK(computed < built.plan->tables().operators.size());
  CHECK(cost->microseconds == Approx(computed));
}

TEST_CASE("A missing cost is an error that names operator and unit") {
  const Built built(classifier_plan());
  CostTable costs = costs_of(*built.plan, kCpu);
  const auto missing = branch_cost(costs, *built.plan, 0, 0, {"cpu", "another", 1});
  REQUIRE(!missing);
  CHECK(missing.error().code() == Code::kNotFound);
  const std::string message(missing.error().message());
  CHECK(message.find("'" + built.plan->tables().operators[0].name + "'") != std::string::npos);
  CHECK(message.find("unit 'cpu' (another, 1 thread)") != std::string::npos);
  CHECK(message.find("nestrt profile") != std::string::npos);
}

TEST_CASE("Costs of fewer threads are used as a substitute but costs of more threads are not") {
  const Built built(relu_plan());
  CostTable costs;
  costs.set({"cpu", "isa", 2}, work_name(*built.plan, 0, {"cpu", "isa", 2}), {5, CostSource::kMeasured});
  CHECK(branch_cost(costs, *built.plan, 0, 0, {"cpu", "isa", 3})->microseconds == 5);
  CHECK(!branch_cost(costs, *built.plan, 0, 0, {"cpu", "isa", 1}));
}

TEST_CASE("A slice costs its share of the operator unless it was measured") {
  const Built built(pool_plan(small_pool(), {1, 16, 4, 4}));
  CostTable costs = costs_of(*built.plan, kCpu);
  const auto share = branch_cost(costs, *built.plan, 0, 0, kCpu, {0, 4});
  REQUIRE(share);
  CHECK(share->microseconds == Approx(2.5));
  CHECK(share->source == CostSource::kModelled);
  costs.set(kCpu, work_name(*built.plan, 0, kCpu, {0, 4}), {3, CostSource::kMeasured});
  CHECK(branch_cost(costs, *built.plan, 0, 0, kCpu, {0, 4})->microseconds == 3);
}

TEST_CASE("Programs for the same operators have separate costs if the plan contains different times") {
  const UnitKey npu{"npu", "", 1};
  const Built differ(twins_plan(10, 12)), same(twins_plan(10, 10));
  CHECK(work_name(*differ.plan, 0, UnitKey()) == work_name(*differ.plan, 1, UnitKey()));
  CHECK(program_work_name(*differ.plan, 0, 1) == "Unary: f32 4 -> f32 4; program of 16 bytes, 10 us");
  CHECK(program_work_name(*differ.plan, 0, 1) != program_work_name(*differ.plan, 1, 1));
  CHECK(program_work_name(*same.plan, 0, 1) == program_work_name(*same.plan, 1, 1));
  CostTable costs;
  costs.set(npu, program_work_name(*differ.plan, 0, 1), {11, CostSource::kMeasured});
  CHECK(branch_cost(costs, *differ.plan, 0, 1, npu)->microseconds == 11);
  CHECK(branch_cost(costs, *differ.plan, 1, 1, npu)->microseconds == 12);
  CHECK(branch_cost(costs, *same.plan, 1, 1, npu)->microseconds == 11);
}

TEST_CASE("Overheads of fewer threads are used as a substitute") {
  CostTable costs;
  costs.set_overhead({"cpu", "isa", 2}, {1, 2, 3});
  CHECK(costs.overhead({"cpu", "isa", 4}).finish_us == 2);
  CHECK(costs.overhead({"cpu", "isa", 1}).finish_us == 0);
  CHECK(costs.overhead({"evta", "isa", 4}).finish_us == 0);
}

}  // namespace nestrt::test
