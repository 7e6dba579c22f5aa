// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::UnaryKind;

size_t nodes_left_by_activation(Graph& graph, ValueId output) {
  graph.outputs = {output};
  return nodes_left_by(compiler::fuse_activation, graph, 1e-6);
}

TEST_CASE("Every activation is fused into the preceding Conv") {
  std::mt19937 generator(1);
  for (const UnaryKind kind : {UnaryKind::kRelu, UnaryKind::kClip, UnaryKind::kLeakyRelu, UnaryKind::kHardSigmoid,
                               UnaryKind::kHardSwish, UnaryKind::kSigmoid, UnaryKind::kTanh, UnaryKind::kSilu}) {
    Graph graph;
    const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {1, 3, 4, 4}), 5);
    INFO(ops::name(kind));
    CHECK(nodes_left_by_activation(graph, add(graph, unary_attributes(kind, 0.25f, 0.5f), {conv})) == 1);
  }
}

TEST_CASE("An activation is fused into Dense, ConvTranspose and Binary") {
  std::mt19937 generator(1);
  Graph dense;
  const ValueId product =
      add(dense, ops::Dense{}, {add_input(dense, "x", {3, 4}), random_constant(dense, generator, {4, 5})});
  CHECK(nodes_left_by_activation(dense, add(dense, unary_attributes(UnaryKind::kRelu), {product})) == 1);

  Graph sum;
  const ValueId x = add_input(sum, "x", {3, 4});
  const ValueId twice = add(sum, binary_attributes(ops::BinaryKind::kAdd), {x, x});
  CHECK(nodes_left_by_activation(sum, add(sum, unary_attributes(UnaryKind::kRelu), {twice})) == 1);
}

TEST_CASE("An activation after a Reshape and a Transpose is fused into the Conv before them") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {1, 3, 4, 4}), 5);
  ValueId y = add(graph, transpose_attributes({0, 2, 3, 1}), {conv}, "moved");
  y = add(graph, reshape_attributes({1, 16, 5}), {y});
  CHECK(nodes_left_by_activation(graph, add(graph, unary_attributes(UnaryKind::kSigmoid), {y}, "y")) == 3);
  CHECK(graph.value(graph.outputs[0]).name == "y");
  const compiler::Value& moved = graph.value(graph.nodes()[1]->outputs[0]);
  CHECK(moved.name != "moved");
  CHECK(moved.same_elements_as == "y");
}

TEST_CASE("A second activation, or the activation of a Conv with other users, is not fused") {
  std::mt19937 generator(1);
  Graph graph;
  ValueId y = add_conv(graph, generator, add_input(graph, "x", {1, 3, 4, 4}), 5);
  y = add(graph, unary_attributes(UnaryKind::kRelu), {y});
  CHECK(nodes_left_by_activation(graph, add(graph, unary_attributes(UnaryKind::kSigmoid), {y})) == 2);

  Graph shared;
  const ValueId conv = add_conv(shared, generator, add_input(shared, "x", {1, 3, 4, 4}), 5);
  const ValueId relu = add(shared, unary_attributes(UnaryKind::kRelu), {conv});
  CHECK(nodes_left_by_activation(shared, add(shared, concat_attributes(1), {conv, relu})) == 3);
}

TEST_CASE("Operators that are not activations are not fused") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {1, 3, 4, 4}), 5);
  CHECK(nodes_left_by_activation(graph, add(graph, unary_attributes(UnaryKind::kAbs), {conv})) == 2);
}

}  // namespace
}  // namespace nestrt::test
