// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

TEST_CASE("A chain of constant nodes becomes one constant") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {3, 2});
  const ValueId turned = add(graph, transpose_attributes({1, 0}), {random_constant(graph, generator, {2, 3})});
  const ValueId shaped = add(graph, reshape_attributes({3, 2}), {turned});
  graph.outputs = {add(graph, concat_attributes(0), {x, shaped}, "y")};
  const Graph before = graph.clone();
  const auto changes = compiler::fold_constants(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 2);
  CHECK(graph.nodes().size() == 1);
  CHECK(difference(graph, before, generator) == 0);
}

TEST_CASE("The node that writes a constant output is kept") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId turned = add(graph, transpose_attributes({1, 0}), {random_constant(graph, generator, {2, 3})});
  graph.outputs = {add(graph, reshape_attributes({6}), {turned}, "y")};
  const auto changes = compiler::fold_constants(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 1);
  CHECK(graph.nodes().size() == 1);
}

TEST_CASE("A constant that would grow too large is not folded") {
  Graph graph;
  ops::Tile tile;
  tile.shape = {1 << 20};
  const ValueId large = add(graph, tile, {graph.add_constant("one", std::vector<float>{1}, {1})});
  graph.outputs = {add(graph, concat_attributes(0), {add_input(graph, "x", {1}), large}, "y")};
  const auto changes = compiler::fold_constants(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 0);
}

TEST_CASE("An expensive computation on constants is not folded") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId a = random_constant(graph, generator, {2000, 2000});
  const ValueId product = add(graph, ops::MatMul(), {a, a});
  graph.outputs = {add(graph, binary_attributes(ops::BinaryKind::kAdd), {add_input(graph, "x", {1}), product}, "y")};
  const auto changes = compiler::fold_constants(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 0);
}

}  // namespace
}  // namespace nestrt::test
