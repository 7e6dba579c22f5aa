// SPDX-License-Identifier: Apache-2.0
// Tests the verification of optional parts of a plan: alternative kernels, costs of its board, and further shapes.
#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "runtime/plan/format/encode.h"
#include "runtime/plan/format/format.h"
#include "test/support/plan/relu_of.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

using Change = std::function<void(plan::Tables&)>;

PlanFile changed(PlanBuilder builder, const Change& change) {
  change(builder.tables());
  return builder.build();
}

void expect_refused(const std::function<PlanBuilder()>& make, const Change& change, std::string_view message) {
  const PlanFile file = changed(make(), change);
  const auto plan = Plan::from_memory(file.bytes());
  INFO("expected: " << message);
  REQUIRE_FALSE(plan);
  INFO("got: " << plan.error().message());
  CHECK(plan.error().code() == Code::kInvalidPlan);
  CHECK(plan.error().message().find(message) != std::string_view::npos);
}

PlanBuilder with_alternatives() {
  PlanBuilder builder = branches_plan();
  plan::Tables& tables = builder.tables();
  tables.kernel_names = {"first", "second"};
  tables.branches[1].programs[0].selections.push_back({"neon", {0}, {}, {{0, 1, -1}, {0, 0, -1}}});
  return builder;
}

PlanBuilder with_costs() {
  PlanBuilder builder = branches_plan();
  plan::Tables& tables = builder.tables();
  const std::vector<float> each(tables.operators.size(), 1.5F);
  tables.host_costs = {{"neon", 1, each}, {"neon", 4, each}};
  tables.overheads = {{"evta", "1x16", 1, 4, 5, 0, 0}, {"cpu", "neon", 1, 2, 0, 0, 2}};
  return builder;
}

PlanBuilder with_shapes() {
  PlanBuilder builder = relu_of({1, 4});
  builder.tables().shapes = {relu_of({2, 4}).tables(), relu_of({1, 9}).tables()};
  return builder;
}

TEST_CASE("Plans with alternatives, costs or several shapes pass verification and have the matching minor version") {
  for (const auto make : {with_alternatives, with_costs, with_shapes}) {
    const PlanFile file = make().build();
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    INFO(plan.error().to_string());
    REQUIRE(plan);
    CHECK(minor_version_of((*plan)->tables()) == plan_format::kMinorBeforeBytes);
    CHECK(encode_tables((*plan)->tables()) == encode_tables(make().tables()));
  }
  CHECK(minor_version_of(branches_plan().tables()) == plan_format::kOldestMinor);
}

TEST_CASE("Invalid kernel alternatives are rejected") {
  const auto refused = [](const std::function<void(std::vector<plan::KernelAlternative>&)>& change,
                          std::string_view message) {
    expect_refused(
        with_alternatives, [&](plan::Tables& p) { change(p.branches[1].programs[0].selections[0].alternatives); },
        message);
  };
  refused([](auto& all) { all[1].op = 1; }, "branch 1: has kernel 0 as an alternative for operator 1 of 1");
  refused([](auto& all) { all[0].kernel = 2; }, "branch 1: has kernel 2 as an alternative for operator 0 of 1");
  refused([](auto& all) { all[0].weights = 0; }, "branch 1: has tensor 0 as weights of");
  refused([](auto& all) { all[0].weights = -2; }, "branch 1: has tensor -2 as weights of");
  refused([](auto& all) { all[0].weights = 1 << 20; }, "as weights of");
  refused([](auto& all) { all.resize(plan_format::kMaxAlternatives + 1, all[0]); },
          "branch 1: has more than 8 alternatives for one operator");
}

TEST_CASE("Invalid board costs are rejected") {
  expect_refused(
      with_costs, [](plan::Tables& p) { p.host_costs[0].microseconds.pop_back(); },
      "costs of the host: expected a valid time for each of");
  for (const float wrong : {-1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    expect_refused(
        with_costs, [=](plan::Tables& p) { p.host_costs[1].microseconds[0] = wrong; },
        "costs of the host: expected a valid time for each of");
    expect_refused(
        with_costs, [=](plan::Tables& p) { p.overheads[1].lane_us = wrong; },
        "overheads: expected four non-negative numbers");
  }
  expect_refused(
      with_costs, [](plan::Tables& p) { p.host_costs[1].threads = 1; },
      "costs of the host: two entries have the same unit, configuration");
  expect_refused(
      with_costs, [](plan::Tables& p) { p.host_costs[1].threads = 0; }, "and 1 to");
  expect_refused(
      with_costs, [](plan::Tables& p) { p.overheads[0].configuration.assign(257, 'c'); },
      "a unit and a configuration of at most 256 bytes");
  expect_refused(
      with_costs,
      [](plan::Tables& p) {
        for (uint32_t i = 0; i < 17; ++i) p.overheads.push_back({"evta", "other", i + 1});
      },
      "overheads, more than 16");
}

TEST_CASE("Shapes that do not belong to one network are rejected") {
  expect_refused(
      with_shapes,
      [](plan::Tables& p) {
        p.shapes[1] = relu_of({2, 4}).tables();
      },
      "shape 2: has the same inputs as another");
  expect_refused(
      with_shapes,
      [](plan::Tables& p) {
        p.shapes[0] = relu_of({1, 4}).tables();
      },
      "shape 1: has the same inputs as another");
  expect_refused(
      with_shapes,
      [](plan::Tables& p) {
        p.shapes[0] = relu_of({1, 1, 4}).tables();
      },
      "shape 1: inputs and outputs do not match the first shape");
  expect_refused(
      with_shapes, [](plan::Tables& p) { p.shapes[0].tensors[0].name = "z"; },
      "shape 1: inputs and outputs do not match the first shape");
  expect_refused(
      with_shapes, [](plan::Tables& p) { p.shapes[1].operators[0].inputs[0] = 7; }, "shape 2: ");
  expect_refused(
      with_shapes,
      [](plan::Tables& p) {
        p.shapes[0].shapes = {relu_of({3, 4}).tables()};
      },
      "shape 1 has nested shapes");
  expect_refused(
      with_shapes,
      [](plan::Tables& p) {
        for (int64_t rows = 10; rows < 50; ++rows) p.shapes.push_back(relu_of({rows, 4}).tables());
      },
      "shapes in addition to the first, more than 31");
}

}  // namespace
}  // namespace nestrt::test
