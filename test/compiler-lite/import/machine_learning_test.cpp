// SPDX-License-Identifier: Apache-2.0
// Tests operators of the domain ai.onnx.ml.
#include <catch2/catch.hpp>

#include <onnx/onnx_pb.h>

#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

void set_floats(onnx::NodeProto& node, const std::string& name, const std::vector<float>& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}

onnx::NodeProto& ml_node(ModelBuilder& model, const std::string& type, const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = model.node(type, {"x"}, outputs);
  node.set_domain("ai.onnx.ml");
  return node;
}

ModelBuilder rows_of_two() {
  ModelBuilder model;
  model.input("x", {2, 2}).output("y");
  return model;
}

std::vector<float> result_of(const ModelBuilder& model, const std::vector<float>& x) {
  const auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return run(*graph, {x});
}

TEST_CASE("Scaler subtracts an offset and multiplies by a scale, per feature or for all") {
  ModelBuilder model = rows_of_two();
  onnx::NodeProto& node = ml_node(model, "Scaler", {"y"});
  set_floats(node, "offset", {1, 2});
  set_floats(node, "scale", {10});
  CHECK(result_of(model, {1, 2, 3, 4}) == std::vector<float>{0, 0, 20, 20});
}

TEST_CASE("A Scaler for another number of features is rejected") {
  ModelBuilder model = rows_of_two();
  set_floats(ml_node(model, "Scaler", {"y"}), "offset", {1, 2, 3});
  CHECK_THAT(message_of(model), Catch::Contains("offset has 3 elements, expected 1 or 2"));
}

TEST_CASE("Normalizer divides rows by their norm and keeps rows of zeros") {
  for (const auto& [norm, expected] :
       {std::pair<const char*, std::vector<float>>{"L1", {0.25F, 0.75F, 0, 0}}, {"MAX", {1.0F / 3, 1, 0, 0}}}) {
    ModelBuilder model = rows_of_two();
    set_attribute(ml_node(model, "Normalizer", {"y"}), "norm", std::string(norm));
    CHECK(result_of(model, {1, 3, 0, 0}) == expected);
  }
}

TEST_CASE("LinearRegressor computes one sum per target") {
  ModelBuilder model = rows_of_two();
  onnx::NodeProto& node = ml_node(model, "LinearRegressor", {"y"});
  set_floats(node, "coefficients", {1, 2, 3, 4});
  set_floats(node, "intercepts", {0, 100});
  set_attribute(node, "targets", int64_t{2});
  CHECK(result_of(model, {1, 0, 0, 1}) == std::vector<float>{1, 103, 2, 104});
}

TEST_CASE("LinearClassifier returns the label of the highest score") {
  ModelBuilder model;
  model.input("x", {2, 2}).output("y");
  onnx::NodeProto& node = ml_node(model, "LinearClassifier", {"label", "scores"});
  set_floats(node, "coefficients", {1, 0, 0, 1, -1, -1});
  set_attribute(node, "classlabels_ints", std::vector<int64_t>{5, 7, 9});
  set_attribute(model.node("Cast", {"label"}, {"y"}), "to", int64_t{onnx_type::kFloat});
  CHECK(result_of(model, {1, 3, -1, -2}) == std::vector<float>{7, 9});
}

TEST_CASE("ZipMap is rejected, and the error names the exporter option that omits it") {
  ModelBuilder model = rows_of_two();
  ml_node(model, "ZipMap", {"y"});
  CHECK_THAT(message_of(model), Catch::Contains("'zipmap': False"));
}

}  // namespace
}  // namespace nestrt::test
