// SPDX-License-Identifier: Apache-2.0
// Tests functions that a model defines, and operators that ONNX Runtime's optimizer writes.
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

onnx::FunctionProto& add_function(ModelBuilder& model, const std::string& name, const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs) {
  onnx::FunctionProto& function = *model.proto().add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  function.add_opset_import()->set_version(13);
  return function;
}

onnx::NodeProto& add_node(onnx::FunctionProto& function, const std::string& type,
                          const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                          const std::string& domain = "") {
  onnx::NodeProto& node = *function.add_node();
  node.set_op_type(type);
  node.set_domain(domain);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

void call(ModelBuilder& model, const std::string& name, const std::vector<std::string>& inputs,
          const std::vector<std::string>& outputs) {
  model.node(name, inputs, outputs).set_domain("local");
}

std::vector<float> result_of(const ModelBuilder& model, const std::vector<std::vector<float>>& inputs) {
  const auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return run(*graph, inputs);
}

}  // namespace

TEST_CASE("Function calls become the function's nodes, with unique names") {
  ModelBuilder model;
  model.input("x", {2}).constant("inner", {2}, std::vector<float>{10, 20});
  onnx::FunctionProto& square = add_function(model, "square_plus", {"a", "b"}, {"r"});
  add_node(square, "Mul", {"a", "a"}, {"inner"});  // the model also contains a value with this name
  add_node(square, "Add", {"inner", "b"}, {"r"});
  onnx::FunctionProto& twice = add_function(model, "twice", {"v"}, {"w"});
  add_node(twice, "square_plus", {"v", "v"}, {"t"}, "local");
  add_node(twice, "square_plus", {"t", "v"}, {"w"}, "local");
  call(model, "twice", {"x"}, {"p"});
  call(model, "square_plus", {"p", "inner"}, {"y"});
  model.output("y");
  // x = 2: 4 + 2 = 6, 36 + 2 = 38, 1444 + 10. x = -1: 1 - 1 = 0, 0 - 1 = -1, 1 + 20.
  CHECK(result_of(model, {{2, -1}}) == std::vector<float>{1454, 21});
}

TEST_CASE("Attributes of a function's nodes refer to its parameters") {
  ModelBuilder model;
  model.input("x", {2});
  onnx::FunctionProto& leaky = add_function(model, "leaky", {"a"}, {"r"});
  leaky.add_attribute("slope");
  onnx::AttributeProto& alpha = *add_node(leaky, "LeakyRelu", {"a"}, {"r"}).add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_ref_attr_name("slope");
  onnx::NodeProto& node = model.node("leaky", {"x"}, {"p"});
  node.set_domain("local");
  set_attribute(node, "slope", 0.5f);
  call(model, "leaky", {"p"}, {"y"});  // without the parameter: the default of LeakyRelu
  model.output("y");
  const std::vector<float> y = result_of(model, {{-2, 3}});
  CHECK(y[0] == Approx(-0.01));
  CHECK(y[1] == 3);
}

TEST_CASE("A function may return its input, and outputs may be unused") {
  ModelBuilder model;
  model.input("x", {1});
  onnx::FunctionProto& both = add_function(model, "both", {"a"}, {"a", "n", "n"});
  add_node(both, "Neg", {"a"}, {"n"});
  call(model, "both", {"x"}, {"same", "", "negative"});
  model.node("Sub", {"same", "negative"}, {"y"});
  model.output("y");
  CHECK(result_of(model, {{3}}) == std::vector<float>{6});
}

TEST_CASE("Recursive functions and exponentially growing calls are rejected quickly") {
  ModelBuilder recursive;
  recursive.input("x", {1});
  add_node(add_function(recursive, "f", {"a"}, {"r"}), "f", {"a"}, {"r"}, "local");
  call(recursive, "f", {"x"}, {"y"});
  recursive.output("y");
  CHECK(contains(message_of(recursive), "call each other"));

  ModelBuilder bomb;  // 2^60 nodes
  bomb.input("x", {1});
  for (int i = 0; i < 60; ++i) {
    onnx::FunctionProto& function = add_function(bomb, "f" + std::to_string(i), {"a"}, {"r"});
    const std::string next = i == 59 ? "Neg" : "f" + std::to_string(i + 1);
    const std::string domain = i == 59 ? "" : "local";
    add_node(function, next, {"a"}, {"t"}, domain);
    add_node(function, next, {"t"}, {"r"}, domain);
  }
  call(bomb, "f0", {"x"}, {"y"});
  bomb.output("y");
  CHECK(contains(message_of(bomb), "more than"));
}

TEST_CASE("Calls that do not match their function are rejected") {
  ModelBuilder model;
  model.input("x", {1});
  add_node(add_function(model, "f", {"a"}, {"r"}), "Neg", {"a"}, {"r"});
  call(model, "f", {"x", "x"}, {"y"});
  model.output("y");
  CHECK(contains(message_of(model), "do not fit a function"));
}

TEST_CASE("FusedConv is a Conv, a sum and an activation") {
  ModelBuilder model;
  model.input("x", {1, 1, 2, 2});
  model.constant("w", {1, 1, 1, 1}, std::vector<float>{2}).constant("b", {1}, std::vector<float>{-1});
  onnx::NodeProto& node = model.node("FusedConv", {"x", "w", "b", "x"}, {"y"});
  node.set_domain("com.microsoft");
  set_attribute(node, "activation", std::string("Relu"));
  model.output("y");
  CHECK(result_of(model, {{0, 1, -1, 5}}) == std::vector<float>{0, 2, 0, 14});
}

TEST_CASE("FusedMatMul transposes and scales") {
  ModelBuilder model;
  model.input("x", {1, 2}).constant("w", {1, 2}, std::vector<float>{3, 5});
  onnx::NodeProto& node = model.node("FusedMatMul", {"x", "w"}, {"y"});
  node.set_domain("com.microsoft");
  set_attribute(node, "transB", int64_t{1});
  set_attribute(node, "alpha", 0.5f);
  model.output("y");
  CHECK(result_of(model, {{2, 4}}) == std::vector<float>{13});
}

TEST_CASE("A file that ONNX Runtime optimized for one processor is rejected with the remedy") {
  ModelBuilder model;
  model.input("x", {1});
  model.node("ReorderInput", {"x"}, {"y"}).set_domain("com.microsoft.nchwc");
  model.output("y");
  CHECK(contains(message_of(model), "compile the original model"));
}

TEST_CASE("Pad keeps integers that floats cannot represent") {
  for (const int32_t value : {16777217, INT32_MAX, INT32_MIN, INT32_MIN + 1, -3}) {
    ModelBuilder model;
    model.constant("x", {1}, std::vector<int32_t>{7}, onnx_type::kInt32);
    model.constant("pads", std::vector<int64_t>{1, 0})
        .constant("value", {}, std::vector<int32_t>{value}, onnx_type::kInt32);
    model.node("Pad", {"x", "pads", "value"}, {"y"});
    model.output("y");
    const auto graph = model.import();
    INFO(graph.error().to_string());
    REQUIRE(graph);
    const compiler::Value& y = graph->value(graph->outputs[0]);
    REQUIRE(y.is_constant());
    CHECK(y.data<int32_t>()[0] == value);
    CHECK(y.data<int32_t>()[1] == 7);
  }
}

}  // namespace nestrt::test
