#include "compiler-lite/emit/branches.h"

#include <catch2/catch.hpp>

#include "compiler-lite/emit/emit.h"
#include "nestrt/plan.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

ValueId relu(Graph& graph, ValueId x, const std::string& name) {
  return add(graph, unary_attributes(plan::UnaryKind::relu), {x}, name);
}
ValueId sum(Graph& graph, ValueId a, ValueId b, const std::string& name) {
  return add(graph, binary_attributes(plan::BinaryKind::add), {a, b}, name);
}

// The operators of each branch, and the region tree as text: s(..) series, p(..) parallel, numbers of branches.
struct Structure {
  std::vector<std::vector<uint32_t>> branches;
  std::string tree;
};

std::string text_of(const plan::Plan& tables, uint32_t index) {
  const plan::Region& region = *tables.regions()->Get(index);
  if (region.kind() == plan::RegionKind::branch) return std::to_string(region.branch());
  std::string text = region.kind() == plan::RegionKind::series ? "s(" : "p(";
  for (const uint32_t child : *region.children()) text += text_of(tables, child) + " ";
  text.back() = ')';
  return text;
}

Structure emitted(Graph graph) {
  const auto bytes = compiler::emit_plan(graph);
  if (!bytes) FAIL(bytes.error().to_string());
  const auto plan = Plan::from_memory(bytes->span(), Verification::kComplete);
  REQUIRE(plan);
  const plan::Plan& tables = (*plan)->tables();
  Structure result;
  for (const plan::Branch* branch : *tables.branches())
    result.branches.emplace_back(branch->operators()->begin(), branch->operators()->end());
  result.tree = text_of(tables, tables.regions()->size() - 1);
  return result;
}

using Branches = std::vector<std::vector<uint32_t>>;

TEST_CASE("A chain is one branch") {
  Graph graph;
  graph.outputs = {relu(graph, relu(graph, relu(graph, add_input(graph, "x", {1, 8}), "a"), "b"), "c")};
  const Structure structure = emitted(std::move(graph));
  CHECK(structure.branches == Branches{{0, 1, 2}});
  CHECK(structure.tree == "0");
}

TEST_CASE("Branches end at forks and begin at joins, and those of a group are side by side") {
  Graph graph;
  const ValueId fork = relu(graph, relu(graph, add_input(graph, "x", {1, 8}), "stem"), "fork");
  const ValueId left = relu(graph, relu(graph, fork, "l1"), "l2");
  const ValueId right = relu(graph, fork, "r1");
  graph.outputs = {relu(graph, sum(graph, left, right, "join"), "tail")};
  const Structure structure = emitted(std::move(graph));
  CHECK(structure.branches == Branches{{0, 1}, {2, 3}, {4}, {5, 6}});
  CHECK(structure.tree == "s(0 p(1 2) 3)");
}

TEST_CASE("Branches whose operators alternate in the file stay apart") {
  Graph graph;
  const ValueId fork = relu(graph, add_input(graph, "x", {1, 8}), "fork");
  const ValueId l1 = relu(graph, fork, "l1"), r1 = relu(graph, fork, "r1");
  const ValueId l2 = relu(graph, l1, "l2"), r2 = relu(graph, r1, "r2");
  graph.outputs = {sum(graph, l2, r2, "join")};
  CHECK(emitted(std::move(graph)).tree == "s(0 p(s(1 3) s(2 4)) 5)");
}

TEST_CASE("An identity skip is no branch, but the operators beside it are a region of their own") {
  Graph graph;
  const ValueId fork = relu(graph, add_input(graph, "x", {1, 8}), "fork");
  const ValueId inner = relu(graph, relu(graph, fork, "a"), "b");
  graph.outputs = {sum(graph, inner, fork, "join")};
  const Structure structure = emitted(std::move(graph));
  CHECK(structure.branches == Branches{{0}, {1, 2}, {3}});
  CHECK(structure.tree == "s(0 p(1) 2)");
}

TEST_CASE("Chains that share nothing are side by side") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 8});
  graph.outputs = {relu(graph, relu(graph, x, "a"), "b"), relu(graph, x, "c")};
  const Structure structure = emitted(std::move(graph));
  CHECK(structure.branches == Branches{{0, 1}, {2}});
  CHECK(structure.tree == "p(0 1)");
}

TEST_CASE("What is no series and no group is written in an order that is right") {
  Graph graph;
  const ValueId fork = relu(graph, add_input(graph, "x", {1, 8}), "fork");
  const ValueId a = relu(graph, fork, "a"), b = relu(graph, fork, "b");
  const ValueId c = sum(graph, a, b, "c"), d = relu(graph, b, "d");
  graph.outputs = {sum(graph, c, d, "join")};
  CHECK(emitted(std::move(graph)).tree == "s(0 s(1 2 3 4) 5)");
}

}  // namespace
}  // namespace nestrt::test
