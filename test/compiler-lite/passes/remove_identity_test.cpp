// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

// Adds a node that the pass cannot remove as the graph's output.
void finish(Graph& graph, ValueId id) { graph.outputs = {add(graph, concat_attributes(0), {id, id}, "y")}; }

// Runs the pass and returns the remaining nodes other than finish()'s.
size_t nodes_left(Graph& graph) { return nodes_left_by(compiler::remove_identity, graph, 0) - 1; }

TEST_CASE("A Reshape to the same shape is removed") {
  Graph graph;
  finish(graph, add(graph, reshape_attributes({2, 3}), {add_input(graph, "x", {2, 3})}));
  CHECK(nodes_left(graph) == 0);
}

TEST_CASE("A chain of Reshapes becomes one") {
  Graph graph;
  const ValueId flat = add(graph, reshape_attributes({6}), {add_input(graph, "x", {2, 3})});
  finish(graph, add(graph, reshape_attributes({3, 2}), {flat}));
  CHECK(nodes_left(graph) == 1);
}

TEST_CASE("Transposes that cancel are removed") {
  Graph graph;
  const ValueId there = add(graph, transpose_attributes({0, 2, 3, 1}), {add_input(graph, "x", {2, 3, 4, 5})});
  finish(graph, add(graph, transpose_attributes({0, 3, 1, 2}), {there}));
  CHECK(nodes_left(graph) == 0);
}

TEST_CASE("Transposes that do not cancel become one") {
  Graph graph;
  const ValueId there = add(graph, transpose_attributes({1, 2, 0}), {add_input(graph, "x", {2, 3, 4})});
  finish(graph, add(graph, transpose_attributes({1, 0, 2}), {there}));
  CHECK(nodes_left(graph) == 1);
}

TEST_CASE("A Transpose that only moves dimensions of one becomes a Reshape") {
  Graph graph;
  finish(graph, add(graph, transpose_attributes({0, 3, 1, 2}), {add_input(graph, "x", {2, 1, 1, 5})}));
  CHECK(nodes_left(graph) == 1);
  CHECK(count(graph, ops::Kind::kReshape) == 1);
}

TEST_CASE("No-op Slice, Tile, Pad and single-input Concat nodes are removed") {
  Graph graph;
  ops::Slice slice;
  slice.start = {0, 0};
  slice.step = {1, 1};
  slice.shape = {2, 3};
  ops::Tile tile;
  tile.shape = {2, 3};
  ValueId id = add(graph, slice, {add_input(graph, "x", {2, 3})});
  id = add(graph, tile, {id});
  id = add(graph, pad_attributes({0, 0}, {0, 0}), {id});
  finish(graph, add(graph, concat_attributes(1), {id}));
  CHECK(nodes_left(graph) == 0);
}

TEST_CASE("A reversing Slice is kept") {
  Graph graph;
  ops::Slice slice;
  slice.start = {1, 0};
  slice.step = {-1, 1};
  slice.shape = {2, 3};
  finish(graph, add(graph, slice, {add_input(graph, "x", {2, 3})}));
  CHECK(nodes_left(graph) == 1);
}

TEST_CASE("An Identity between an input and an output is kept") {
  Graph graph;
  graph.outputs = {add(graph, reshape_attributes({2}), {add_input(graph, "x", {2})}, "y")};
  const auto changes = compiler::remove_identity(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 0);
  CHECK(graph.nodes().size() == 1);
}

TEST_CASE("The name of an output survives the identity before it") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2});
  const ValueId twice = add(graph, concat_attributes(0), {x, x}, "inner");
  graph.outputs = {add(graph, reshape_attributes({4}), {twice}, "y")};
  REQUIRE(compiler::remove_identity(graph).has_value());
  CHECK(graph.nodes().size() == 1);
  CHECK(graph.value(graph.outputs[0]).name == "y");
}

}  // namespace
}  // namespace nestrt::test
