// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

TEST_CASE("Nodes and constants that no output needs are removed") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {2});
  const ValueId unused = random_constant(graph, generator, {2});
  add(graph, reshape_attributes({4}), {add(graph, concat_attributes(0), {x, unused})});
  graph.outputs = {add(graph, concat_attributes(0), {x, x}, "y")};
  const auto changes = compiler::remove_dead(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 2);
  CHECK(graph.nodes().size() == 1);
  CHECK_FALSE(graph.value(unused).is_constant());
}

}  // namespace
}  // namespace nestrt::test
