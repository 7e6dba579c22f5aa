// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::BinaryKind;
using ops::UnaryKind;

size_t nodes_left_by_residual(Graph& graph, ValueId output) {
  graph.outputs = {output};
  return nodes_left_by(compiler::fuse_residual, graph, 1e-5);
}

ValueId sum(Graph& graph, ValueId a, ValueId b) { return add(graph, binary_attributes(BinaryKind::kAdd), {a, b}); }

TEST_CASE("A skip connection and its activation are fused into the Conv") {
  std::mt19937 generator(1);
  for (const bool bias : {false, true}) {
    Graph graph;
    const ValueId x = add_input(graph, "x", {1, 4, 5, 5});
    const ValueId conv = add_conv(graph, generator, x, 4, 3, 1, bias);
    const ValueId y = add(graph, unary_attributes(UnaryKind::kRelu), {sum(graph, x, conv)}, "y");
    REQUIRE(nodes_left_by_residual(graph, y) == 2);
    CHECK(graph.nodes()[0]->input(3) == x);
    REQUIRE(compiler::fuse_activation(graph).has_value());
    REQUIRE(graph.nodes().size() == 1);
    CHECK(graph.nodes()[0]->as<ops::Conv>()->activation.kind == ops::ActivationKind::kRelu);
    CHECK(graph.value(graph.outputs[0]).name == "y");
  }
}

TEST_CASE("The later of two Convs gets the earlier one as its residual") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 4, 5, 5});
  const ValueId first = add_conv(graph, generator, x, 4), second = add_conv(graph, generator, x, 4);
  CHECK(nodes_left_by_residual(graph, sum(graph, second, first)) == 2);
  CHECK(graph.nodes()[1]->input(3) == first);
}

TEST_CASE("An activation fused into the addition moves into the Conv") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 4, 5, 5});
  ops::Binary added = binary_attributes(BinaryKind::kAdd);
  added.activation.kind = ops::ActivationKind::kRelu;
  const ValueId conv = add_conv(graph, generator, x, 4);
  CHECK(nodes_left_by_residual(graph, add(graph, added, {conv, x})) == 1);
}

TEST_CASE("No residual is fused into a Conv with other users") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 4, 5, 5});
  const ValueId conv = add_conv(graph, generator, x, 4);
  CHECK(nodes_left_by_residual(graph, add(graph, concat_attributes(1), {conv, sum(graph, conv, x)})) == 3);
}

TEST_CASE("An activated Conv, a broadcasting addition and an addition of a Conv to itself are not fused") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 4, 5, 5}), row = add_input(graph, "row", {1, 4, 1, 5});
  const ValueId conv = add_conv(graph, generator, x, 4);
  graph.producer(conv)->as<ops::Conv>()->activation.kind = ops::ActivationKind::kRelu;
  ValueId y = add_conv(graph, generator, sum(graph, conv, x), 4);
  y = add_conv(graph, generator, sum(graph, y, row), 4);
  CHECK(nodes_left_by_residual(graph, sum(graph, y, y)) == 6);
}

}  // namespace
}  // namespace nestrt::test
