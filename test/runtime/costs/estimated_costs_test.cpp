// SPDX-License-Identifier: Apache-2.0
// Tests estimates for work that was never measured.
#include "runtime/costs/estimated_costs.h"

#include <catch2/catch.hpp>

#include "nestrt/driver/schedule.h"
#include "runtime/costs/unit_key.h"
#include "test/support/evta/host_and_npu.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

TEST_CASE("Estimates make every plan schedulable, including on unknown units") {
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

TEST_CASE("Estimates keep known costs and grow with the amount of arithmetic") {
  const PlanFile file = blocked_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  CostTable costs;
  costs.set(key_of(kHost), work_name(*plan, 0, key_of(kHost)), {0.25, CostSource::kMeasured});
  add_estimates(*plan, std::span(&kHost, 1), costs);
  const auto us = [&](uint32_t op) {
    return costs.find(key_of(kHost), work_name(*plan, op, key_of(kHost)))->microseconds;
  };
  CHECK(us(0) == 0.25);
  CHECK(us(1) > us(3));  // a convolution, a pool
}

TEST_CASE("A plan's cost of unknown origin is adopted and stays marked as unknown") {
  PlanBuilder builder = branches_plan();
  plan::Program& program = builder.tables().branches[0].programs.emplace_back();
  program.unit = "npu";
  program.costs = {{42, plan::CostOrigin::kUnknown}};
  const PlanFile file = builder.build();
  const auto plan = *Plan::from_memory(file.bytes());
  const UnitInfo units[] = {kHost, kNpu};
  CostTable costs;
  add_estimates(*plan, units, costs);
  const WorkCost* const guess = costs.find(key_of(kNpu), work_name(*plan, 0, key_of(kNpu)));
  REQUIRE(guess != nullptr);
  CHECK(guess->microseconds == 42);
  CHECK(guess->source == CostSource::kUnknown);
}

// Returns a pool of 1x16x8x8 in windows of 2x2: 256 results of 4 elements each, 5120 bytes in all.
PlanBuilder pool_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 16, 8, 8}), y = builder.output("y", {1, 16, 4, 4});
  const ops::Pool pool{.kernel = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}};
  builder.op("pool", pool, {x}, {y});
  return builder;
}

double estimate(const HostRates& rates, int threads) {
  const PlanFile file = pool_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  UnitInfo host = kHost;
  host.num_threads = threads;
  CostTable costs;
  add_estimates(*plan, std::span(&host, 1), costs, rates);
  return costs.find(key_of(host), work_name(*plan, 0, key_of(host)))->microseconds;
}

TEST_CASE("An estimate adds the start time to work and results at the rates of their kind, divided among threads") {
  HostRates rates{.kinds = {{"f32 Pool", {.begin_us = 1, .work_per_us = 128, .results_per_us = 64}},
                            {HostRates::kOther, {.begin_us = 100}}},
                  .fork_us = 0.5};
  CHECK(estimate(rates, 1) == Approx(1 + 8 + 4));
  CHECK(estimate(rates, 4) == Approx(1 + 0.5 + 3));
  rates.kinds.erase("f32 Pool");
  CHECK(estimate(rates, 1) == Approx(100));
}

TEST_CASE("Memory bandwidth limits all threads together, except for data that fits in the cache") {
  HostRates rates{.kinds = {{HostRates::kOther, {.results_per_us = 64}}}, .memory_bytes_per_us = 2560};
  CHECK(estimate(rates, 1) == Approx(4));
  CHECK(estimate(rates, 4) == Approx(2));
  rates.cache_bytes = 5120;
  CHECK(estimate(rates, 4) == Approx(1));
}

// Returns the estimate for a convolution of 1x16x8x8 by 16x16x3x3: 147456 multiplications, 1024 results.
double estimate_of_conv(const HostRates& rates, Packing packing) {
  PlanBuilder builder;
  const std::vector<float> values(16 * 16 * 9, 1.0f);
  const int x = builder.input("x", {1, 16, 8, 8}), y = builder.output("y", {1, 16, 8, 8});
  const int blocked_x = builder.blocked("blocked_x", {1, 16, 8, 8}), sums = builder.blocked("sums", {1, 16, 8, 8});
  ops::Conv conv{.kernel = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
  builder.op("block", ops::Reorder(), {x}, {blocked_x});
  builder.op("conv", conv, {blocked_x, builder.packed("w", {16, 16, 3, 3}, packing, values)}, {sums});
  builder.op("unblock", ops::Reorder(), {sums}, {y});
  const PlanFile file = builder.build();
  const auto plan = *Plan::from_memory(file.bytes());
  CostTable costs;
  add_estimates(*plan, std::span(&kHost, 1), costs, rates);
  return costs.find(key_of(kHost), work_name(*plan, 1, key_of(kHost)))->microseconds;
}

TEST_CASE("Winograd convolutions have larger weights, and separate rates if the board specifies them") {
  HostRates rates{.kinds = {{"f32 spatial", {.work_per_us = 147456}},
                            {"f32 winograd", {.work_per_us = 4 * 147456}},
                            {HostRates::kOther, {.begin_us = 100}}}};
  rates.fork_us = 0;
  const double direct = estimate_of_conv(rates, Packing::kO16i16);
  CHECK(estimate_of_conv(rates, Packing::kWinograd16) == Approx(direct / 4));
  rates.kinds.erase("f32 winograd");
  CHECK(estimate_of_conv(rates, Packing::kWinograd16) == Approx(direct));
  rates.memory_bytes_per_us = 1;  // so that weights dominate the estimate
  rates.cache_bytes = 1e9;
  CHECK(estimate_of_conv(rates, Packing::kWinograd16) == Approx(4 * estimate_of_conv(rates, Packing::kO16i16)));
  CHECK(is_kind_of_work("f32 winograd_two"));
  CHECK(is_kind_of_work("s8 winograd"));
}

}  // namespace
}  // namespace nestrt::test
