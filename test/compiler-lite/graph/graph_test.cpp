// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/graph.h"

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::Node;
using compiler::ValueId;

TEST_CASE("Replacing a value changes every operand and output that refers to it") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2}), z = add_input(graph, "z", {2});
  const ValueId y = add(graph, concat_attributes(0), {x, x});
  graph.outputs = {y, x};
  graph.replace_uses(x, z);
  CHECK(graph.producer(y)->inputs == std::vector<ValueId>{z, z});
  CHECK(graph.outputs == std::vector<ValueId>{y, z});
  CHECK(graph.users(x).empty());
  CHECK(graph.users(z).size() == 2);
}

TEST_CASE("Tidying drops nodes that no output needs and their uses") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2});
  const ValueId y = add(graph, concat_attributes(0), {x, x});
  const ValueId unused = add(graph, concat_attributes(0), {x, y});
  graph.outputs = {y};
  graph.tidy();
  CHECK(graph.nodes().size() == 1);
  CHECK(graph.users(x).size() == 2);
  CHECK(graph.users(y).empty());
  CHECK(graph.producer(unused) == nullptr);
}

TEST_CASE("Tidying puts producers before users and otherwise keeps the order") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2});
  const ValueId first = add(graph, concat_attributes(0), {x, x}, "first");
  const ValueId second = add(graph, concat_attributes(0), {x, x}, "second");
  const ValueId late = add(graph, concat_attributes(0), {x, x}, "late");
  graph.set_input(graph.producer(first), 1, late);
  graph.outputs = {first, second};
  graph.tidy();
  std::vector<std::string> names;
  for (const auto& node : graph.nodes()) names.push_back(node->name);
  CHECK(names == std::vector<std::string>{"late", "first", "second"});
}

TEST_CASE("A clone shares constants and nothing else") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {2}), constant = random_constant(graph, generator, {2});
  const ValueId y = add(graph, concat_attributes(0), {x, constant});
  graph.outputs = {y};
  Graph copy = graph.clone();
  CHECK(copy.value(constant).constant == graph.value(constant).constant);
  copy.set_input(copy.producer(y), 1, x);
  CHECK(graph.producer(y)->inputs[1] == constant);
  CHECK(graph.users(constant).size() == 1);
  CHECK(copy.users(constant).empty());
}

TEST_CASE("A node that violates a rule is rejected with its name") {
  Graph graph;
  const auto node = graph.add_node("wrong", reshape_attributes({5}), {add_input(graph, "x", {2, 2})}, {"y"});
  REQUIRE_FALSE(node.has_value());
  CHECK(node.error().code() == Code::kInvalidModel);
  CHECK(node.error().message().find("'wrong'") != std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::test
