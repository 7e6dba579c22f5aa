// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

TEST_CASE("A Concat without its first operand, whose output overlaps another, is rejected") {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 4}), whole = builder.arena("whole", {2, 4});
  const int part = builder.view("part", whole, {1, 4}), y = builder.output("y", {2, 4});
  builder.op("part", unary(ops::UnaryKind::kRelu), {x}, {part});
  for (const int axis : {0, 7}) {
    PlanBuilder damaged = builder;
    damaged.op("whole", ops::Concat{.axis = axis}, {-1, part}, {whole});
    damaged.op("y", unary(ops::UnaryKind::kRelu), {whole}, {y});
    const PlanFile file = damaged.build();
    const auto plan = Plan::from_memory(file.bytes());
    REQUIRE_FALSE(plan);
    CHECK_THAT(std::string(plan.error().message()), Catch::Matchers::Contains("overlap in buffer"));
  }
}

}  // namespace
}  // namespace nestrt::test
