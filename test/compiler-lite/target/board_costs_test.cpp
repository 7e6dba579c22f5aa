// SPDX-License-Identifier: Apache-2.0
// Tests that plans for a board contain the costs of its CPU, from profiles and estimates.
#include "compiler-lite/target/board_costs.h"

#include <algorithm>

#include "compiler-lite/codegen/make_backends.h"
#include "compiler-lite/compile.h"
#include "runtime/costs/stated_costs.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

Result<compiler::PlanBytes> compile_for(const std::string& text) {
  std::mt19937 generator(1);
  compiler::Graph graph;
  const compiler::ValueId x = add_input(graph, "x", {1, 32, 14, 14});
  graph.outputs = {add_conv(graph, generator, x, 32, 3, 1)};
  const auto target = compiler::read_target(text);
  if (!target) FAIL(target.error().to_string());
  compiler::CompileOptions options;
  options.backends = *compiler::make_backends(*target);
  auto costs = compiler::board_costs(*target);
  if (!costs) FAIL(costs.error().to_string());
  options.board_costs = std::move(*costs);
  return compiler::compile_graph(std::move(graph), options);
}

TEST_CASE("A plan for the ZCU102 contains the times of its operators on one core and on four") {
  const auto bytes = compile_for("zcu102");
  REQUIRE(bytes);
  const auto plan = *Plan::from_memory(bytes->span(), Verification::kComplete);
  const plan::Tables& tables = plan->tables();
  REQUIRE(tables.host_costs.size() == 2);
  CHECK(tables.host_costs[0].threads == 1);
  CHECK(tables.host_costs[1].threads == 4);
  for (const plan::HostCosts& costs : tables.host_costs) {
    CHECK(costs.configuration == "neon");
    CHECK(std::ranges::all_of(costs.microseconds, [](float us) { return us > 0; }));
  }
  CHECK(tables.host_costs[0].microseconds[0] >= tables.host_costs[1].microseconds[0]);
  const UnitInfo units[] = {{"evta", "evta0", "1x16_15_15_18_17", 1, false}, {"cpu", "cpu", "neon", 4, true}};
  const CostTable costs = stated_costs(*plan, units);
  CHECK(costs.find({"cpu", "neon", 4}, work_name(*plan, 0, {"cpu", "neon", 4})) != nullptr);
  CHECK(costs.overhead({"evta", "1x16_15_15_18_17", 1}).start_us == 4);
}

TEST_CASE("A plan for a board with an unknown CPU contains the costs of using its other units") {
  const auto bytes = compile_for("u280");
  REQUIRE(bytes);
  const auto plan = *Plan::from_memory(bytes->span(), Verification::kComplete);
  CHECK(plan->tables().host_costs.empty());
  REQUIRE(plan->tables().overheads.size() == 1);
  CHECK(plan->tables().overheads[0].start_us == 25);
  const auto& targets = plan->tables().targets;
  const auto evta = std::ranges::find(targets, "evta", &plan::Target::unit);
  REQUIRE(evta != targets.end());
  CHECK(evta->launch_us == 100);
}

TEST_CASE("A plan without a board contains no board costs") {
  const auto bytes = compile_for("host");
  REQUIRE(bytes);
  const auto plan = *Plan::from_memory(bytes->span());
  CHECK(plan->tables().host_costs.empty());
  CHECK(plan->tables().overheads.empty());
}

}  // namespace
}  // namespace nestrt::test
