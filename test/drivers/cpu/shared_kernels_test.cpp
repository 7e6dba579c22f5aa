// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {
namespace {

constexpr int64_t kWidth = 40;

// Returns a plan with two fully connected layers that share one unpacked weight. Their activations have these slopes.
PlanFile two_layers(float first_slope, float second_slope) {
  PlanBuilder builder;
  const int x = builder.input("x", {1, kWidth}), y = builder.output("y", {1, kWidth});
  const int weights = builder.constant<float>("w", {kWidth, kWidth}, std::vector<float>(kWidth * kWidth, 0.25F));
  const int between = builder.arena("between", {1, kWidth});
  const auto layer = [](float slope) {
    ops::Dense dense;
    dense.activation = {ops::ActivationKind::kLeakyRelu, slope, 0};
    return dense;
  };
  builder.op("first", layer(first_slope), {x, weights}, {between});
  builder.op("second", layer(second_slope), {between, weights}, {y});
  return builder.build();
}

size_t repacked_bytes(const PlanFile& file) {
  const auto plan = Plan::from_memory(file.bytes());
  const auto units = open_units("cpu", {.num_threads = 1});
  REQUIRE(plan);
  REQUIRE(units);
  std::vector<std::unique_ptr<Executable>> programs;
  size_t bytes = 0;
  for (uint32_t branch = 0; branch < (*plan)->tables().branches.size(); ++branch) {
    auto prepared = (*units)[0]->prepare({*plan, branch, &(*plan)->tables().branches[branch].programs[0]});
    REQUIRE(prepared);
    bytes += (*prepared)->repacked_bytes();
    programs.push_back(std::move(*prepared));
  }
  return bytes;
}

}  // namespace

TEST_CASE("Equal operators share one kernel and its repacked weights") {
  constexpr size_t kBytes = kWidth * kWidth * sizeof(float);
  CHECK(repacked_bytes(two_layers(0.5F, 0.5F)) == kBytes);
  CHECK(repacked_bytes(two_layers(0.5F, 0.25F)) == 2 * kBytes);
}

}  // namespace nestrt::test
