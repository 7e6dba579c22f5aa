// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/cut.h"

#include <catch2/catch.hpp>

#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// Returns two branches: x -> a -> b -> join, x -> c -> d -> join; a also feeds d. Operators are named after their
// results.
Graph two_branches() {
  test::ModelBuilder model;
  model.input("x", {1, 4}).output("join");
  model.node("Relu", {"x"}, {"a"}, "a");
  model.node("Relu", {"a"}, {"b"}, "b");
  model.node("Relu", {"x"}, {"c"}, "c");
  model.node("Add", {"c", "a"}, {"d"}, "d");
  model.node("Add", {"b", "d"}, {"join"}, "join");
  auto graph = model.import();
  REQUIRE(graph);
  return std::move(*graph);
}

enum Operator : uint32_t { kA, kB, kC, kD, kJoin };

std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> result;
  for (const ValueId id : ids) result.push_back(graph.value(id).name);
  return result;
}

std::string refusal_of_cut(std::vector<PartSpec> parts) {
  const auto result = cut(two_branches(), std::move(parts));
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == Code::kInvalidArgument);
  return std::string(result.error().message());
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("The borders of a part are its external inputs and the outputs that other parts read") {
  const Graph graph = two_branches();
  const auto result = cut(graph, {{"left", "NPU", {kB, kA}}, {"right", "CPU", {kC, kD, kJoin}}});
  REQUIRE(result);
  REQUIRE(result->parts.size() == 2);
  const Part &left = result->parts[0], &right = result->parts[1];
  CHECK(left.name == "left");
  CHECK(left.backend == "NPU");
  CHECK(left.operators == std::vector<uint32_t>{kA, kB});
  CHECK(names_of(graph, left.exported.inputs) == Names{"x"});
  CHECK(names_of(graph, left.exported.outputs) == Names{"a", "b"});
  CHECK(names_of(graph, right.exported.inputs) == Names{"x", "a", "b"});
  CHECK(names_of(graph, right.exported.outputs) == Names{"join"});
}

TEST_CASE("Parts are in a valid execution order for any order of requests") {
  const auto result =
      cut(two_branches(), {{"last", "CPU", {kJoin}}, {"middle", "CPU", {kB, kD}}, {"first", "CPU", {kA, kC}}});
  REQUIRE(result);
  REQUIRE(result->parts.size() == 3);
  CHECK(result->parts[0].name == "first");
  CHECK(result->parts[1].name == "middle");
  CHECK(result->parts[2].name == "last");
}

TEST_CASE("Operators that no part requests become as few CPU parts as the order allows") {
  const auto result = cut(two_branches(), {{"npu", "NPU", {kB}}});
  REQUIRE(result);
  REQUIRE(result->parts.size() == 3);
  CHECK(result->parts[0].name == "rest0");
  CHECK(result->parts[0].backend == "CPU");
  CHECK(result->parts[0].operators == std::vector<uint32_t>{kA, kC, kD});
  CHECK(result->parts[1].name == "npu");
  CHECK(result->parts[2].name == "rest1");
  CHECK(result->parts[2].operators == std::vector<uint32_t>{kJoin});
}

TEST_CASE("The remaining parts do not reuse a part's name") {
  const auto result = cut(two_branches(), {{"rest0", "NPU", {kJoin}}});
  REQUIRE(result);
  CHECK(result->parts[0].name == "rest1");
  CHECK(result->parts[1].name == "rest0");
}

TEST_CASE("A part that is not convex is rejected with the path that leaves and reenters it") {
  const std::string message = refusal_of_cut({{"outer", "NPU", {kA, kJoin}}, {"inner", "CPU", {kD, kC}}});
  CHECK_THAT(message, Contains("part 'outer' is not convex"));
  CHECK_THAT(message, Contains("'a' of part 'outer' feeds 'b'; 'b' feeds 'join' of part 'outer'") ||
                          Contains("'a' of part 'outer' feeds 'd' of part 'inner'; 'd' of part 'inner' feeds 'join'"));
}

TEST_CASE("Parts that depend on each other are rejected with the dependencies") {
  test::ModelBuilder model;
  model.input("x", {1, 4}).output("a2").output("b2");
  model.node("Relu", {"x"}, {"a1"}, "a1");
  model.node("Relu", {"x"}, {"b1"}, "b1");
  model.node("Relu", {"b1"}, {"a2"}, "a2");
  model.node("Relu", {"a1"}, {"b2"}, "b2");
  const auto graph = model.import();
  REQUIRE(graph);
  const auto result = cut(*graph, {{"a", "NPU", {0, 2}}, {"b", "NPU", {1, 3}}});
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == Code::kInvalidArgument);
  CHECK_THAT(
      std::string(result.error().message()),
      Contains("part 'a' and other parts depend on each other: 'a1' of part 'a' feeds 'b2' of part 'b'; 'b1' of part "
               "'b' feeds 'a2' of part 'a'"));
}

TEST_CASE("An operator in two parts, a duplicate name and a part without operators are rejected") {
  CHECK_THAT(refusal_of_cut({{"p", "CPU", {kA}}, {"q", "CPU", {kA}}}),
             Contains("operator 'a' is in part 'p' and in part 'q'"));
  CHECK_THAT(refusal_of_cut({{"p", "CPU", {kA}}, {"p", "CPU", {kB}}}), Contains("duplicate part 'p'"));
  CHECK_THAT(refusal_of_cut({{"p", "CPU", {}}}), Contains("part 'p' has no operators"));
}

TEST_CASE("An ONNX node that is imported as several operators is one operator of the model") {
  test::ModelBuilder model;
  model.input("x", {1, 8, 2, 2}).output("y");
  test::set_attribute(model.node("DepthToSpace", {"x"}, {"deep"}, "d2s"), "blocksize", int64_t{2});
  model.node("Relu", {"deep"}, {"y"}, "relu");
  const auto graph = model.import();
  REQUIRE(graph);
  REQUIRE(graph->nodes().size() == 4);
  const auto operators = model_operators(*graph);
  REQUIRE(operators.size() == 2);
  CHECK(operators[0].name == "d2s");
  CHECK(operators[0].count == 3);
}

TEST_CASE("A model of constants is one part") {
  test::ModelBuilder model;
  model.constant("c", {2}, {1, 2}).output("y");
  model.node("Relu", {"c"}, {"y"});
  const auto graph = model.import();
  REQUIRE(graph);
  const auto result = cut(*graph, {});
  REQUIRE(result);
  REQUIRE(result->parts.size() == 1);
  CHECK(names_of(*graph, result->parts[0].exported.outputs) == Names{"y"});
}

}  // namespace nestrt::compiler
