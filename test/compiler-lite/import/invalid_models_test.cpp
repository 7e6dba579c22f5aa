// SPDX-License-Identifier: Apache-2.0
// Tests well-formed models that violate the rules of an operator or of the format, and similar valid models.
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include "compiler-lite/import/import.h"
#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::test {
namespace {

void check_refused(const ModelBuilder& model, const std::string& part) {
  const auto graph = model.import();
  REQUIRE(!graph);
  INFO(graph.error().to_string());
  CHECK(graph.error().code() == Code::kInvalidModel);
  CHECK(graph.error().message().find(part) != std::string_view::npos);
}

void check_accepted(const ModelBuilder& model) {
  const auto graph = model.import();
  INFO(graph.error().to_string());
  CHECK(graph);
}

TEST_CASE("Constant indices must be inside the axis") {
  for (const int64_t index : {3, -4, 99}) {
    ModelBuilder model;
    model.input("x", {2, 3}).output("y").constant("i", std::vector<int64_t>{0, index});
    set_attribute(model.node("Gather", {"x", "i"}, {"y"}), "axis", int64_t{1});
    check_refused(model, "index " + std::to_string(index) + " is outside an axis of 3");
  }
  ModelBuilder model;
  model.input("x", {2, 3}).output("y").constant("i", std::vector<int64_t>{-3, 2});
  set_attribute(model.node("Gather", {"x", "i"}, {"y"}), "axis", int64_t{1});
  check_accepted(model);
}

TEST_CASE("Integer division by a constant 0 is rejected") {
  for (const char* op_type : {"Div", "Mod"}) {
    ModelBuilder model;
    model.input("x", {2}, onnx_type::kInt64).output("y").constant("zero", std::vector<int64_t>{1, 0});
    model.node(op_type, {"x", "zero"}, {"y"});
    check_refused(model, "integer division by a constant 0");
  }
  ModelBuilder floats;
  floats.input("x", {1}).output("y").constant("zero", {1}, {0}).node("Div", {"x", "zero"}, {"y"});
  check_accepted(floats);
}

TEST_CASE("A Split into equal parts must divide the axis evenly before opset 18") {
  const auto model_of = [](int64_t opset, int64_t dim, int parts) {
    ModelBuilder model(opset);
    model.input("x", {dim});
    std::vector<std::string> outputs;
    for (int i = 0; i < parts; ++i) outputs.push_back("y" + std::to_string(i));
    for (const std::string& name : outputs) model.output(name);
    onnx::NodeProto& node = model.node("Split", {"x"}, outputs);
    if (opset >= 18) set_attribute(node, "num_outputs", int64_t{parts});
    return model;
  };
  check_refused(model_of(13, 4, 10), "cannot be split into 10");
  check_refused(model_of(13, 7, 2), "cannot be split into 2");
  check_refused(model_of(18, 4, 10), "cannot be split into 10");
  check_accepted(model_of(13, 8, 2));
  check_accepted(model_of(18, 7, 2));
}

TEST_CASE("Inputs beyond those of the operator are rejected unless they are absent") {
  ModelBuilder model;
  model.input("x", {2}).output("y").node("Relu", std::vector<std::string>(50, "x"), {"y"});
  check_refused(model, "has 50 inputs, expected at most 1");
  ModelBuilder absent;
  absent.input("x", {2}).output("y").node("Relu", {"x", "", ""}, {"y"});
  check_accepted(absent);
}

TEST_CASE("auto_pad and pads are mutually exclusive") {
  const auto model_of = [](int64_t pad) {
    ModelBuilder model;
    model.input("x", {1, 1, 4, 4}).output("y").constant("w", {1, 1, 3, 3}, std::vector<float>(9, 1));
    onnx::NodeProto& node = model.node("Conv", {"x", "w"}, {"y"});
    set_attribute(node, "auto_pad", std::string("SAME_UPPER"));
    set_attribute(node, "pads", std::vector<int64_t>(4, pad));
    return model;
  };
  check_refused(model_of(1), "auto_pad");
  check_accepted(model_of(0));
}

TEST_CASE("Invalid input dimensions must be overridden, and the error explains how") {
  for (const int64_t dim : {int64_t{0}, int64_t{-1}, int64_t{-4}, INT64_MIN + 1}) {
    for (const int axis : {0, 1}) {
      ModelBuilder model;
      model.input("x", {1, 4}).output("y").node("Relu", {"x"}, {"y"});
      model.graph()
          .mutable_input(0)
          ->mutable_type()
          ->mutable_tensor_type()
          ->mutable_shape()
          ->mutable_dim(axis)
          ->set_dim_value(dim);
      check_refused(model, "dimension " + std::to_string(axis) + " is " + std::to_string(dim));
      check_refused(model, "--input-shape x=");
      compiler::ImportOptions options;
      options.input_shapes["x"] = {1, 4};
      CHECK(model.import(options));
    }
  }
}

TEST_CASE("A LayerNormalization may mark its bias as absent") {
  for (const std::vector<std::string>& inputs : {std::vector<std::string>{"x", "scale"}, {"x", "scale", ""}}) {
    ModelBuilder model(17);
    model.input("x", {1, 2}).output("y").constant("scale", {2}, {1, 2}).node("LayerNormalization", inputs, {"y"});
    const auto graph = model.import();
    INFO(graph.error().to_string());
    REQUIRE(graph);
    const std::vector<float> y = run(*graph, {{-1, 1}});
    CHECK(y[0] == Approx(-1).margin(1e-4));
    CHECK(y[1] == Approx(2).margin(1e-4));
  }
}

TEST_CASE("Inputs that are not tensors and nodes without an operator are reported") {
  ModelBuilder sequence;
  sequence.input("x", {1}).output("y").node("Relu", {"x"}, {"y"});
  sequence.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  CHECK(std::string(sequence.import().error().message()).find("input 'x' is not a tensor") != std::string::npos);
  ModelBuilder type;
  type.input("x", {1}, 99).output("y").node("Relu", {"x"}, {"y"});
  CHECK(std::string(type.import().error().message()).find("is a tensor of unknown type 99") != std::string::npos);
  ModelBuilder nothing;
  nothing.input("x", {1}).output("y").node("", {"x"}, {"y"});
  CHECK(std::string(nothing.import().error().message()).find("nodes without an operator") != std::string::npos);
}

}  // namespace
}  // namespace nestrt::test
