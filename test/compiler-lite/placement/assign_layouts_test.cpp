// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/placement/assign_layouts.h"
#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/target/target_description.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

// Assigns layouts, checks that the results are unchanged, and returns the number of Reorders.
int reorders(Graph& graph, std::vector<ValueId> outputs) {
  std::mt19937 generator(1);
  graph.outputs = std::move(outputs);
  const Graph before = graph.clone();
  const auto inserted =
      compiler::assign_layouts(graph, {compiler::make_cpu_backend(compiler::host_target().instruction_sets)});
  INFO(inserted.error().to_string());
  REQUIRE(inserted.has_value());
  CHECK(difference(graph, before, generator) < 1e-5);
  CHECK(count(graph, ops::Kind::kReorder) == *inserted);
  for (ValueId id : graph.outputs) CHECK(graph.value(id).layout == Layout::kPlain);
  for (const auto& input : graph.inputs) CHECK(graph.value(input.value).layout == Layout::kPlain);
  return *inserted;
}

Layout layout(const Graph& graph, ValueId id) { return graph.value(id).layout; }

TEST_CASE("Convolutions are blocked inside and plain at the borders of the graph") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId stem = add_conv(graph, generator, add_input(graph, "x", {1, 3, 8, 8}), 16, 3, 1);
  const ValueId pool = add(graph, pool_attributes(ops::PoolKind::kMax, {2, 2}), {stem});
  const ValueId conv = add_conv(graph, generator, pool, 20, 3, 1);
  graph.value(conv).name = std::string("y");
  CHECK(reorders(graph, {conv}) == 1);
  for (ValueId id : {stem, pool, conv}) CHECK(layout(graph, id) == Layout::kBlocked16);
  CHECK(graph.value(graph.outputs[0]).name == "y");
  CHECK(graph.value(conv).name != "y");
}

TEST_CASE("A value is reordered once for all readers that use a different layout") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {1, 16, 4, 4}), 16);
  const ValueId a = add(graph, reshape_attributes({256}), {conv});
  const ValueId b = add(graph, transpose_attributes({0, 2, 3, 1}), {conv});
  CHECK(reorders(graph, {a, b, conv}) == 2);  // the input and the conv
}

TEST_CASE("Networks without convolutions keep plain layouts") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 16, 4, 4});
  const ValueId scaled =
      add(graph, binary_attributes(ops::BinaryKind::kMul), {x, random_constant(graph, generator, {16, 1, 1})});
  const ValueId sum = add(graph, binary_attributes(ops::BinaryKind::kAdd), {scaled, x});
  CHECK(reorders(graph, {add(graph, concat_attributes(1), {sum, x})}) == 0);
}

TEST_CASE("Activations, gates and sums of blocked values are blocked") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId a = add_conv(graph, generator, add_input(graph, "x", {1, 3, 8, 8}), 16, 3, 1);
  const ValueId relu = add(graph, unary_attributes(ops::UnaryKind::kRelu), {a});
  const ValueId scaled =
      add(graph, binary_attributes(ops::BinaryKind::kMul), {relu, random_constant(graph, generator, {1, 16, 1, 1})});
  const ValueId sum = add(graph, binary_attributes(ops::BinaryKind::kAdd), {scaled, a});
  CHECK(reorders(graph, {add_conv(graph, generator, sum, 16)}) == 1);
  for (ValueId id : {relu, scaled, sum}) CHECK(layout(graph, id) == Layout::kBlocked16);
}

TEST_CASE("A residual uses the layout of the output") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId a = add_conv(graph, generator, add_input(graph, "x", {1, 3, 8, 8}), 16, 3, 1);
  const ValueId b = add_conv(graph, generator, a, 16, 3, 1);
  graph.add_input(graph.producer(b), a);
  CHECK(reorders(graph, {b}) == 1);

  Graph outside;
  const ValueId c = add_conv(outside, generator, add_input(outside, "x", {1, 3, 8, 8}), 16, 3, 1);
  outside.add_input(outside.producer(c), add_input(outside, "residual", {1, 16, 8, 8}));
  CHECK(reorders(outside, {c}) == 2);
}

TEST_CASE("A node that only supports plain layout gets Reorders around it") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId a = add_conv(graph, generator, add_input(graph, "x", {1, 3, 8, 8}), 16, 3, 1);
  ops::CumSum sum;
  sum.axis = 2;
  const ValueId axis_sum = add(graph, sum, {a});
  CHECK(reorders(graph, {add_conv(graph, generator, axis_sum, 16)}) == 3);
  CHECK(layout(graph, axis_sum) == Layout::kPlain);
}

TEST_CASE("A Conv with few input channels reads blocked channels if its producer writes blocked channels") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId a = add_conv(graph, generator, add_input(graph, "x", {1, 16, 8, 8}), 4, 3, 1);
  CHECK(reorders(graph, {add_conv(graph, generator, a, 16, 3, 1)}) == 2);
  CHECK(layout(graph, a) == Layout::kBlocked16);
}

TEST_CASE("Rank 3 is blocked like rank 4") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId a = add_conv(graph, generator, add_input(graph, "x", {1, 3, 32}), 16, 3, 1);
  const ValueId b = add_conv(graph, generator, a, 16, 3, 1);
  CHECK(reorders(graph, {b}) == 1);
  CHECK(layout(graph, a) == Layout::kBlocked16);
}

}  // namespace
}  // namespace nestrt::test
