// SPDX-License-Identifier: Apache-2.0
// Tests branches that only an accelerator can compute.
#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {
namespace {

// Returns y = Opaque(x), computed by a blob for units "npu".
PlanBuilder opaque_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {4}), y = builder.output("y", {4});
  ops::Opaque opaque;
  opaque.results = {static_cast<int64_t>(DataType::kF32), 1, 4};
  builder.op("part", opaque, {x}, {y});
  const int blob = builder.constant("blob", {8}, std::vector<uint8_t>(8, 1), DataType::kU8);
  plan::Tables& tables = builder.tables();
  plan::Program program;
  program.unit = "npu";
  program.kind = plan::ProgramKind::kBlob;
  program.segments = {tables.tensors[static_cast<size_t>(blob)].buffer};
  program.ranges = {{0, 16, plan::RangeAccess::kRead, x}, {16, 16, plan::RangeAccess::kWrite, y}};
  tables.branches[0].programs = {program};
  return builder;
}

std::string refusal(void (*damage)(plan::Tables& tables)) {
  PlanBuilder builder = opaque_plan();
  damage(builder.tables());
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  return std::string(plan.error().message());
}

TEST_CASE("A branch without kernels requires a program for at least one unit that writes all results") {
  const PlanFile file = opaque_plan().build();
  CHECK(Plan::from_memory(file.bytes()).error().to_string() == "ok");
  CHECK_THAT(refusal([](plan::Tables& tables) { tables.branches[0].programs.clear(); }),
             Catch::Contains("has no kernel program, which any host can run"));
  CHECK_THAT(refusal([](plan::Tables& tables) { tables.branches[0].programs[0].ranges.pop_back(); }),
             Catch::Contains("does not write"));
  CHECK_THAT(refusal([](plan::Tables& tables) { tables.branches[0].programs[0].ranges[1].size = 12; }),
             Catch::Contains("does not write"));
}

TEST_CASE("A branch of operators without kernels may not have a kernel program") {
  CHECK_THAT(refusal([](plan::Tables& tables) {
               plan::Program kernels;
               kernels.unit = "cpu";
               tables.branches[0].programs.push_back(kernels);
             }),
             Catch::Contains("has a kernel program, but its operator has no kernels"));
}

TEST_CASE("A session that lacks the unit of a branch without kernels is rejected with the unit's name") {
  const PlanFile file = opaque_plan().build();
  const auto plan = Plan::from_memory(file.bytes());
  const auto units = open_units("cpu", {.num_threads = 1});
  REQUIRE(plan);
  REQUIRE(units);
  const auto session = Session::create(*plan, *units, {});
  REQUIRE_FALSE(session);
  CHECK(session.error().code() == Code::kIncompatible);
  CHECK_THAT(std::string(session.error().message()), Catch::Contains("branch 0 has programs for npu"));
}

}  // namespace
}  // namespace nestrt::test
