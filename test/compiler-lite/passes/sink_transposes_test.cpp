// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::BinaryKind;
using ops::UnaryKind;

// Add a Transpose from channels first to channels last, and back.
ValueId to_last(Graph& graph, ValueId x) { return add(graph, transpose_attributes({0, 2, 3, 1}), {x}); }
ValueId to_first(Graph& graph, ValueId x) { return add(graph, transpose_attributes({0, 3, 1, 2}), {x}); }

// Runs the pass, checks that the results are the same, and returns the number of remaining Transposes.
int transposes_left(Graph& graph, ValueId output) {
  std::mt19937 generator(1);
  graph.outputs = {output};
  const Graph before = graph.clone();
  const auto changes = compiler::sink_transposes(graph);
  INFO(changes.error().to_string());
  REQUIRE(changes.has_value());
  CHECK(difference(graph, before, generator) < 1e-6);
  return count(graph, ops::Kind::kTranspose);
}

const Shape kImage{1, 3, 4, 5};

TEST_CASE("Transposes around elementwise operators with constants cancel") {
  std::mt19937 generator(1);
  Graph graph;
  ValueId y = to_last(graph, add_input(graph, "x", kImage));
  y = add(graph, binary_attributes(BinaryKind::kMul), {y, random_constant(graph, generator, {3})});
  y = add(graph, binary_attributes(BinaryKind::kAdd), {random_constant(graph, generator, {1, 4, 1, 3}), y});
  y = add(graph, binary_attributes(BinaryKind::kSub), {y, scalar(graph, 2)});
  y = add(graph, unary_attributes(UnaryKind::kRelu), {y});
  CHECK(transposes_left(graph, to_first(graph, y)) == 0);
}

TEST_CASE("Transposes around Pad, Slice and Concat cancel") {
  Graph graph;
  const ValueId x = to_last(graph, add_input(graph, "x", kImage));
  const ValueId z = to_last(graph, add_input(graph, "z", kImage));
  ops::Slice slice;
  slice.start = {0, 1, 4, 0};
  slice.step = {1, 1, -2, 1};
  slice.shape = {1, 2, 2, 3};
  ValueId y = add(graph, concat_attributes(-1), {x, z});
  y = add(graph, pad_attributes({0, 0, 1, 0}, {0, 1, 2, 0}), {y});
  y = add(graph, slice, {y});
  CHECK(transposes_left(graph, to_first(graph, y)) == 0);
}

TEST_CASE("A gate computed from the transposed tensor does not prevent the cancellation") {
  Graph graph;
  const ValueId x = to_last(graph, add_input(graph, "x", kImage));
  const ValueId gate = add(graph, unary_attributes(UnaryKind::kSigmoid), {x});
  CHECK(transposes_left(graph, to_first(graph, add(graph, binary_attributes(BinaryKind::kMul), {x, gate}))) == 0);
}

TEST_CASE("A mean over the spatial axes needs no Transpose, with and without kept dimensions") {
  for (const bool keep : {false, true}) {
    Graph graph;
    ops::Reduce mean;
    mean.axes = {1, 2};
    mean.keep_dims = keep;
    CHECK(transposes_left(graph, add(graph, mean, {to_last(graph, add_input(graph, "x", kImage))}, "y")) == 0);
    CHECK(graph.value(graph.outputs[0]).name == "y");
  }
}

TEST_CASE("A Reduce over some axes keeps the order of the others") {
  Graph graph;
  ops::Reduce sum;
  sum.kind = ops::ReduceKind::kSum;
  sum.axes = {1};
  sum.keep_dims = false;
  const ValueId y = add(graph, sum, {to_last(graph, add_input(graph, "x", {2, 3, 4, 5}))});
  CHECK(transposes_left(graph, y) == 1);
}

TEST_CASE("A Transpose whose only user depends on the order is kept") {
  Graph graph;
  const ValueId x = to_last(graph, add_input(graph, "x", kImage));
  const ValueId y = add(graph, unary_attributes(UnaryKind::kRelu), {x});
  CHECK(transposes_left(graph, add(graph, reshape_attributes({60}), {y})) == 1);
}

TEST_CASE("Transposes are not sunk if that would only add more of them") {
  Graph graph;
  const ValueId x = to_last(graph, add_input(graph, "x", kImage));
  const ValueId a = add(graph, unary_attributes(UnaryKind::kRelu), {x});
  const ValueId b = add(graph, unary_attributes(UnaryKind::kAbs), {x});
  const ValueId c = add(graph, reshape_attributes({60}), {a}), d = add(graph, reshape_attributes({60}), {b});
  CHECK(transposes_left(graph, add(graph, concat_attributes(0), {c, d})) == 1);
}

}  // namespace
}  // namespace nestrt::test
