// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/placement/branches.h"

#include <catch2/catch.hpp>

#include "compiler-lite/compile.h"
#include "nestrt/plan.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

ValueId relu(Graph& graph, ValueId x, const std::string& name) {
  return add(graph, unary_attributes(ops::UnaryKind::kRelu), {x}, name);
}
ValueId sum(Graph& graph, ValueId a, ValueId b, const std::string& name) {
  return add(graph, binary_attributes(ops::BinaryKind::kAdd), {a, b}, name);
}

using Branches = std::vector<std::vector<uint32_t>>;

// Returns the operators of each branch.
Branches emitted(Graph graph) {
  const auto bytes = compiler::compile_graph(std::move(graph));
  if (!bytes) FAIL(bytes.error().to_string());
  const auto plan = Plan::from_memory(bytes->span(), Verification::kComplete);
  REQUIRE(plan);
  Branches result;
  for (const plan::Branch& branch : (*plan)->tables().branches) result.push_back(branch.operators);
  return result;
}

TEST_CASE("A chain is one branch") {
  Graph graph;
  graph.outputs = {relu(graph, relu(graph, relu(graph, add_input(graph, "x", {1, 8}), "a"), "b"), "c")};
  CHECK(emitted(std::move(graph)) == Branches{{0, 1, 2}});
}

TEST_CASE("Branches end at forks and begin at joins") {
  Graph graph;
  const ValueId fork = relu(graph, relu(graph, add_input(graph, "x", {1, 8}), "stem"), "fork");
  const ValueId left = relu(graph, relu(graph, fork, "l1"), "l2");
  const ValueId right = relu(graph, fork, "r1");
  graph.outputs = {relu(graph, sum(graph, left, right, "join"), "tail")};
  CHECK(emitted(std::move(graph)) == Branches{{0, 1}, {2, 3}, {4}, {5, 6}});
}

TEST_CASE("Branches whose operators alternate in the file are not merged") {
  Graph graph;
  const ValueId fork = relu(graph, add_input(graph, "x", {1, 8}), "fork");
  const ValueId l1 = relu(graph, fork, "l1"), r1 = relu(graph, fork, "r1");
  const ValueId l2 = relu(graph, l1, "l2"), r2 = relu(graph, r1, "r2");
  graph.outputs = {sum(graph, l2, r2, "join")};
  CHECK(emitted(std::move(graph)) == Branches{{0}, {1}, {2}, {3}, {4}, {5}});
}

TEST_CASE("An identity skip is not a branch, but the operators next to it are") {
  Graph graph;
  const ValueId fork = relu(graph, add_input(graph, "x", {1, 8}), "fork");
  const ValueId inner = relu(graph, relu(graph, fork, "a"), "b");
  graph.outputs = {sum(graph, inner, fork, "join")};
  CHECK(emitted(std::move(graph)) == Branches{{0}, {1, 2}, {3}});
}

TEST_CASE("Independent chains are separate branches") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 8});
  graph.outputs = {relu(graph, relu(graph, x, "a"), "b"), relu(graph, x, "c")};
  CHECK(emitted(std::move(graph)) == Branches{{0, 1}, {2}});
}

}  // namespace
}  // namespace nestrt::test
