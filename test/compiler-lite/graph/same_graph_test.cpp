// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/same_graph.h"

#include <catch2/catch.hpp>
#include <functional>

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// Returns relu(x * 2) + x, optionally with one change.
struct Recipe {
  std::string input = "x", inner = "product", output = "y";
  float factor = 2;
  ops::UnaryKind activation = ops::UnaryKind::kRelu;
  bool adds_input = true;
  Shape shape = {1, 4};
};

Graph make(const Recipe& recipe) {
  Graph graph;
  const ValueId x = test::add_input(graph, recipe.input, recipe.shape);
  const ValueId factor = test::scalar(graph, recipe.factor);
  const ValueId product = test::add(graph, test::binary_attributes(ops::BinaryKind::kMul), {x, factor}, recipe.inner);
  const ValueId activated = test::add(graph, test::unary_attributes(recipe.activation), {product}, "activated");
  const ValueId sum = test::add(graph, test::binary_attributes(ops::BinaryKind::kAdd),
                                {activated, recipe.adds_input ? x : product}, recipe.output);
  graph.outputs.push_back(sum);
  return graph;
}

}  // namespace

TEST_CASE("Graphs that differ in the names of inner values are the same") {
  const Status same = same_graph(make({.inner = "other"}), make({}));
  INFO(same.to_string());
  CHECK(same.ok());
}

TEST_CASE(
    "Graphs that differ in the name of an input or output, a constant, an operator, an edge or a shape are not the "
    "same") {
  const std::pair<Recipe, const char*> changed[] = {
      {{.input = "z"}, "is called 'z'"},
      {{.output = "z"}, "is called 'z'"},
      {{.factor = 3}, "other elements"},
      {{.activation = ops::UnaryKind::kTanh}, "or with other attributes"},
      {{.adds_input = false}, "is used where the other graph uses another value"},
      {{.shape = {1, 5}}, "f32 1x5 instead of f32 1x4"},
  };
  for (const auto& [recipe, message] : changed) {
    const Status same = same_graph(make(recipe), make({}));
    CHECK_FALSE(same.ok());
    CHECK_THAT(std::string(same.message()), Contains(message) || Contains("is an input of only one graph"));
  }
}

TEST_CASE("Graphs with different quantization are not the same") {
  const Graph plain = make({});
  Graph quantized = make({});
  quantized.value(quantized.outputs[0]).quantization = plan::Quantization{{3}, {}, {}, -1};
  CHECK_THAT(std::string(same_graph(quantized, plain).message()), Contains("quantization"));
}

TEST_CASE("Graphs with different numbers of inputs, outputs or operators are not the same") {
  const Graph plain = make({});
  Graph more_inputs = make({}), more_outputs = make({}), more_nodes = make({});
  test::add_input(more_inputs, "unused", {1});
  CHECK_THAT(std::string(same_graph(more_inputs, plain).message()), Contains("2 inputs instead of 1"));
  more_outputs.outputs.push_back(more_outputs.nodes()[0]->outputs[0]);
  CHECK_THAT(std::string(same_graph(more_outputs, plain).message()), Contains("2 outputs instead of 1"));
  test::add(more_nodes, test::unary_attributes(ops::UnaryKind::kRelu), {more_nodes.inputs[0].value});
  CHECK_THAT(std::string(same_graph(more_nodes, plain).message()), Contains("4 operators instead of 3"));
}

}  // namespace nestrt::compiler
