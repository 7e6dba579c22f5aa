// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

TEST_CASE("Equal nodes are computed once") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 3});
  const ValueId a = add(graph, transpose_attributes({1, 0}), {x});
  const ValueId b = add(graph, transpose_attributes({1, 0}), {x});
  const ValueId c = add(graph, reshape_attributes({3, 2}), {x});
  graph.outputs = {add(graph, concat_attributes(0), {a, b, c}, "y")};
  const Graph before = graph.clone();
  const auto changes = compiler::common_subexpressions(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 1);
  CHECK(count(graph, ops::Kind::kTranspose) == 1);
  CHECK(count(graph, ops::Kind::kReshape) == 1);
  CHECK(difference(graph, before, generator) == 0);
}

TEST_CASE("Equal constants are stored once and their users are computed once") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2});
  const ValueId a = add(graph, concat_attributes(0), {x, graph.add_constant("a", std::vector<float>{1, 2}, {2})});
  const ValueId b = add(graph, concat_attributes(0), {x, graph.add_constant("b", std::vector<float>{1, 2}, {2})});
  const ValueId c = add(graph, concat_attributes(0), {x, graph.add_constant("c", std::vector<float>{1, 3}, {2})});
  graph.outputs = {add(graph, concat_attributes(0), {a, b, c}, "y")};
  const auto changes = compiler::common_subexpressions(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 2);
  CHECK(count(graph, ops::Kind::kConcat) == 3);
}

TEST_CASE("Equal outputs of the graph stay separate") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 3});
  graph.outputs = {add(graph, transpose_attributes({1, 0}), {x}, "y"),
                   add(graph, transpose_attributes({1, 0}), {x}, "z")};
  const auto changes = compiler::common_subexpressions(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 0);
  CHECK(graph.value(graph.outputs[1]).name == "z");
}

}  // namespace
}  // namespace nestrt::test
