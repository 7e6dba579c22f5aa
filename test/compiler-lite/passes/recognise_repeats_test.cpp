// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::Kind;

// Repeats the elements of an axis as TensorFlow writes it.
ValueId repeat(Graph& graph, ValueId x, int axis, int64_t times, const std::string& name = "") {
  std::vector<int64_t> split, merged;
  const Shape shape = graph.value(x).shape;
  for (int i = 0; i < shape.rank(); ++i) {
    split.push_back(shape[i]);
    merged.push_back(i == axis ? shape[i] * times : shape[i]);
    if (i == axis) split.push_back(1);
  }
  ops::Tile tile{.shape = split};
  tile.shape[static_cast<size_t>(axis) + 1] = times;
  const ValueId apart = add(graph, ops::Reshape{.shape = split}, {x});
  return add(graph, ops::Reshape{.shape = merged}, {add(graph, tile, {apart})}, name);
}

TEST_CASE("Repeated rows and columns become a nearest Resize, and Transposes around it cancel") {
  Graph graph;
  ValueId y = add(graph, transpose_attributes({0, 2, 3, 1}), {add_input(graph, "x", {1, 3, 4, 5})});
  y = repeat(graph, repeat(graph, y, 1, 2), 2, 3);
  graph.outputs = {add(graph, transpose_attributes({0, 3, 1, 2}), {y}, "y")};
  graph.tidy();
  CHECK(nodes_left_by(&compiler::recognise_repeats, graph, 0) == 4);
  CHECK(count(graph, Kind::kResize) == 2);
  nodes_left_by(&compiler::sink_transposes, graph, 0);
  CHECK(count(graph, Kind::kTranspose) <= 1);
}

TEST_CASE("Transposes stay before a linear Resize of integers") {
  Graph graph;
  compiler::Value x;
  x.name = "x";
  x.type = DataType::kS8;
  x.shape = {1, 4, 5, 3};
  graph.inputs.push_back({graph.add_value(std::move(x)), std::nullopt});
  ops::Resize resize;
  resize.mode = ops::ResizeMode::kLinear;
  resize.sizes = {1, 3, 8, 10};
  ValueId y = add(graph, transpose_attributes({0, 3, 1, 2}), {graph.inputs[0].value});
  y = add(graph, resize, {y});
  graph.outputs = {add(graph, transpose_attributes({0, 2, 3, 1}), {y}, "y")};
  graph.tidy();
  REQUIRE(compiler::sink_transposes(graph).has_value());
  CHECK(count(graph, Kind::kTranspose) == 2);
}

TEST_CASE("A Tile that repeats whole rows, or whose input has other readers, stays") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 3});
  const ValueId apart = add(graph, ops::Reshape{.shape = {2, 1, 3}}, {x});
  const ValueId rows = add(graph, ops::Tile{.shape = {2, 2, 3}}, {apart});
  const ValueId wide = add(graph, ops::Reshape{.shape = {2, 6}}, {rows}, "wide");
  const ValueId shared = add(graph, ops::Reshape{.shape = {3, 2, 1}}, {x});
  const ValueId twice = add(graph, ops::Tile{.shape = {3, 2, 2}}, {shared});
  const ValueId flat = add(graph, ops::Reshape{.shape = {3, 4}}, {twice}, "flat");
  graph.outputs = {wide, flat, add(graph, unary_attributes(ops::UnaryKind::kRelu), {shared}, "other")};
  graph.tidy();
  nodes_left_by(&compiler::recognise_repeats, graph, 0);
  CHECK(count(graph, Kind::kResize) == 0);
}

}  // namespace
}  // namespace nestrt::test
