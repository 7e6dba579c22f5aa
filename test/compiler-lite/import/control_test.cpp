// SPDX-License-Identifier: Apache-2.0
// Tests If, Loop and Scan.
#include <catch2/catch.hpp>

#include <onnx/onnx_pb.h>

#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::test {
namespace {

using compiler::Graph;

// Adds an empty subgraph as the attribute `name` of a node and returns it.
onnx::GraphProto& subgraph(onnx::NodeProto& node, const std::string& name) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  return *attribute.mutable_g();
}

void add_node(onnx::GraphProto& graph, const std::string& op_type, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op_type);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
}

Graph imported(const ModelBuilder& model) {
  auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return std::move(*graph);
}

ModelBuilder chooser(int condition) {
  ModelBuilder model;
  model.input("x", {2}).output("y").constant("c", {}, std::vector<int32_t>{condition}, onnx_type::kBool);
  onnx::NodeProto& node = model.node("If", {"c"}, {"y"});
  onnx::GraphProto& taken = subgraph(node, "then_branch");
  add_node(taken, "Add", {"x", "x"}, {"inner"});
  taken.add_output()->set_name("inner");
  onnx::GraphProto& other = subgraph(node, "else_branch");
  add_node(other, "NoSuchOperator", {"x"}, {"inner"});
  other.add_output()->set_name("inner");
  return model;
}

TEST_CASE("The branch that a constant selects replaces an If, regardless of the contents of the other branch") {
  CHECK(run(imported(chooser(1)), {{1, 2}}) == std::vector<float>{2, 4});
  const auto refused = chooser(0).import();
  REQUIRE(!refused);
  CHECK_THAT(std::string(refused.error().message()), Catch::Contains("NoSuchOperator"));
}

// Returns a model of y = then_type(x) if sum(x) > 0, and y = x if not.
ModelBuilder runtime_chooser(const std::string& then_type, const std::vector<std::string>& then_inputs) {
  ModelBuilder model;
  model.input("x", {2}).output("y").constant("zero", {1}, {0.0F}).constant("two", std::vector<int64_t>{2, 1});
  set_attribute(model.node("ReduceSum", {"x"}, {"sum"}), "keepdims", int64_t{1});
  model.node("Greater", {"sum", "zero"}, {"condition"});
  onnx::NodeProto& node = model.node("If", {"condition"}, {"y"});
  onnx::GraphProto& taken = subgraph(node, "then_branch");
  add_node(taken, then_type, then_inputs, {"inner"});
  taken.add_output()->set_name("inner");
  onnx::GraphProto& other = subgraph(node, "else_branch");
  add_node(other, "Identity", {"x"}, {"inner"});
  other.add_output()->set_name("inner");
  return model;
}

TEST_CASE("An If whose condition depends on the inputs selects one of its branches in every run") {
  const Graph graph = imported(runtime_chooser("Add", {"x", "x"}));
  CHECK(run(graph, {{1, 2}}) == std::vector<float>{2, 4});
  CHECK(run(graph, {{1, -2}}) == std::vector<float>{1, -2});
}

TEST_CASE("An If whose branches differ in shape is rejected unless its condition is a constant") {
  const auto refused = runtime_chooser("Reshape", {"x", "two"}).import();
  REQUIRE(!refused);
  CHECK_THAT(std::string(refused.error().message()),
             Catch::Contains("the branches return f32 2x1 and f32 2") && Catch::Contains("--bind"));
}

// Returns a model of y = x doubled `count` times, with all intermediate values as outputs.
ModelBuilder doubler(int64_t count) {
  ModelBuilder model;
  model.input("x", {2}).output("all").constant("n", std::vector<int64_t>{count});
  onnx::NodeProto& node = model.node("Loop", {"n", "", "x"}, {"last", "all"});
  onnx::GraphProto& body = subgraph(node, "body");
  for (const char* name : {"i", "goes_on", "value"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"value", "value"}, {"twice"});
  add_node(body, "Identity", {"goes_on"}, {"still"});
  for (const char* name : {"still", "twice", "twice"}) body.add_output()->set_name(name);
  return model;
}

TEST_CASE("A Loop becomes one body per iteration and collects the outputs") {
  CHECK(run(imported(doubler(3)), {{1, 2}}) == std::vector<float>{2, 4, 4, 8, 8, 16});
}

TEST_CASE("An endless Loop is rejected within the limits of the model's size") {
  const auto refused = doubler(int64_t{1} << 60).import();
  REQUIRE(!refused);
  CHECK_THAT(std::string(refused.error().message()), Catch::Contains("operators and constants"));
}

TEST_CASE("A Scan runs along its axis, backwards if requested") {
  ModelBuilder model;
  model.input("x", {3, 1}).output("sums").constant("zero", {1}, std::vector<float>{0});
  onnx::NodeProto& node = model.node("Scan", {"zero", "x"}, {"total", "sums"});
  set_attribute(node, "num_scan_inputs", int64_t{1});
  set_attribute(node, "scan_input_directions", std::vector<int64_t>{1});
  onnx::GraphProto& body = subgraph(node, "body");
  for (const char* name : {"sum", "element"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"sum", "element"}, {"next"});
  for (const char* name : {"next", "next"}) body.add_output()->set_name(name);
  CHECK(run(imported(model), {{1, 2, 4}}) == std::vector<float>{4, 6, 7});
}

TEST_CASE("A subgraph with undefined values or too few inputs is rejected with its name") {
  ModelBuilder model = chooser(1);
  model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(0, "nobody");
  const auto refused = model.import();
  REQUIRE(!refused);
  CHECK_THAT(std::string(refused.error().message()), Catch::Contains("nobody"));
  ModelBuilder loop = doubler(1);
  loop.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_input()->RemoveLast();
  const auto short_of_inputs = loop.import();
  REQUIRE(!short_of_inputs);
  CHECK_THAT(std::string(short_of_inputs.error().message()), Catch::Contains("2 inputs"));
}

TEST_CASE(
    "A final NonMaxSuppression pads its boxes with rows of -1, and any other NonMaxSuppression needs constant inputs") {
  const auto model = [](bool last) {
    ModelBuilder m;
    m.input("boxes", {1, 2, 4}).input("scores", {1, 1, 2}).output(last ? "rows" : "y");
    m.constant("count", std::vector<int64_t>{2});
    m.node("NonMaxSuppression", {"boxes", "scores", "count"}, {"rows"});
    if (!last) m.node("Identity", {"rows"}, {"y"});
    return m.import();
  };
  REQUIRE(model(true));
  CHECK(model(true)->value(model(true)->outputs[0]).shape == Shape{2, 3});
  REQUIRE(!model(false));
  CHECK_THAT(std::string(model(false).error().message()), Catch::Contains("depends on the data"));
}

}  // namespace
}  // namespace nestrt::test
