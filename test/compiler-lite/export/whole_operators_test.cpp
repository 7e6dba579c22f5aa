// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/whole_operators.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/same_graph.h"
#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::compiler {
namespace {

// Exports the model and checks that import gives the same graph again. Returns the types of the nodes.
std::vector<std::string> exported_types(const test::ModelBuilder& model, const ExportForm& form = {}) {
  const auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  const auto bytes = export_onnx(*graph, form);
  INFO(bytes.error().to_string());
  REQUIRE(bytes);
  const auto back = test::import_bytes(*bytes);
  REQUIRE(back);
  const Status same = same_graph(*back, *graph);
  INFO(same.to_string());
  CHECK(same.ok());
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(*bytes));
  std::vector<std::string> types;
  for (const auto& node : proto.graph().node()) types.push_back(node.op_type());
  return types;
}

using Types = std::vector<std::string>;

test::ModelBuilder split_model(const std::vector<std::string>& used) {
  test::ModelBuilder model;
  model.input("x", {1, 6, 2}).constant("sizes", {1, 2, 3});
  model.node("Split", {"x", "sizes"}, {"a", "b", "c"}, "split");
  test::set_attribute(*model.graph().mutable_node(0), "axis", int64_t{1});
  for (const std::string& name : used) {
    model.output("y" + name);
    model.node("Relu", {name}, {"y" + name});
  }
  return model;
}

test::ModelBuilder rearranging_model(const std::string& type, const std::string& mode) {
  test::ModelBuilder model;
  model.input("x", {2, 8, 4, 6}).output("y");
  onnx::NodeProto& node = model.node(type, {"x"}, {"y"}, "move");
  test::set_attribute(node, "blocksize", int64_t{2});
  if (!mode.empty()) test::set_attribute(node, "mode", mode);
  return model;
}

}  // namespace

TEST_CASE("A MatMul with more than two dimensions stays one node") {
  test::ModelBuilder model;
  model.input("x", {2, 3, 4}).output("y").constant("w", {4, 5}, std::vector<float>(20, 0.5f));
  model.node("MatMul", {"x", "w"}, {"y"}, "product");
  CHECK(exported_types(model) == Types{"MatMul"});
  CHECK(exported_types(model, {.whole_operators = false}) == Types{"Reshape", "Gemm", "Reshape"});
}

TEST_CASE("A Split stays one node if all of its results are used") {
  const Types types = exported_types(split_model({"a", "b", "c"}));
  CHECK(std::ranges::count(types, "Split") == 1);
  CHECK(std::ranges::count(types, "Slice") == 0);
  CHECK(std::ranges::count(exported_types(split_model({"a", "c"})), "Split") == 0);
  CHECK(std::ranges::count(exported_types(split_model({"a", "b"})), "Split") == 0);
}

TEST_CASE("DepthToSpace and SpaceToDepth stay one node in each mode") {
  CHECK(exported_types(rearranging_model("DepthToSpace", "DCR")) == Types{"DepthToSpace"});
  CHECK(exported_types(rearranging_model("DepthToSpace", "CRD")) == Types{"DepthToSpace"});
  CHECK(exported_types(rearranging_model("SpaceToDepth", "")) == Types{"SpaceToDepth"});
}

TEST_CASE("A Reshape, a Transpose and a Reshape of different nodes stay three") {
  test::ModelBuilder model;
  model.input("x", {2, 8, 4, 6}).output("y");
  model.constant("inner", {2, 2, 2, 2, 4, 6}).constant("outer", {2, 2, 8, 12});
  model.node("Reshape", {"x", "inner"}, {"u"}, "r1");
  test::set_attribute(model.node("Transpose", {"u"}, {"v"}, "t"), "perm", std::vector<int64_t>{0, 3, 4, 1, 5, 2});
  model.node("Reshape", {"v", "outer"}, {"y"}, "r2");
  CHECK(exported_types(model) == Types{"Reshape", "Transpose", "Reshape"});
}

TEST_CASE("An operator that only newer opsets contain is one node in them") {
  test::ModelBuilder model(18);
  model.input("x", {1, 4}).output("y");
  model.node("Mish", {"x"}, {"y"}, "mish");
  for (const int64_t opset : {18, 19, 20, 21}) CHECK(exported_types(model, {.opset = opset}) == Types{"Mish"});
}

}  // namespace nestrt::compiler
