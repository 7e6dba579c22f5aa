// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/join.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <span>

#include "compiler-lite/graph/same_graph.h"
#include "compiler-lite/parts/export_parts.h"
#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// Two parts that share a constant.
struct Divided {
  Graph graph;
  Manifest manifest;
  std::map<std::string, std::string> files;

  Result<std::string> join() const {
    return join_parts(manifest, [this](const std::string& file) -> Result<std::vector<std::byte>> {
      const auto bytes = std::as_bytes(std::span(files.at(file)));
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    });
  }
};

Divided divided() {
  test::ModelBuilder model;
  model.input("x", {1, 2}).constant("w", {2}, {1, 2}).output("y");
  model.node("Add", {"x", "w"}, {"a"}, "first");
  model.node("Mul", {"a", "w"}, {"y"}, "second");
  auto graph = model.import();
  REQUIRE(graph);
  Divided result{std::move(*graph), {}, {}};
  const auto parts = cut(result.graph, {{"p", "CPU", {0}}, {"q", "CPU", {1}}});
  REQUIRE(parts);
  const auto manifest = export_parts(result.graph, *parts, {}, [&](const std::string& file, std::string_view bytes) {
    result.files[file] = std::string(bytes);
    return Status();
  });
  REQUIRE(manifest);
  result.manifest = *manifest;
  return result;
}

// Returns the error for the second part's file after `change`.
std::string refusal_of_changed(const std::function<void(onnx::ModelProto&)>& change) {
  Divided parts = divided();
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(parts.files.at("q.onnx")));
  change(model);
  parts.files["q.onnx"] = model.SerializeAsString();
  const auto joined = parts.join();
  REQUIRE_FALSE(joined);
  return joined.error().to_string();
}

}  // namespace

TEST_CASE("Joined parts equal the original model, with shared constants stored once") {
  const Divided parts = divided();
  const auto joined = parts.join();
  INFO(joined.error().to_string());
  REQUIRE(joined);
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(*joined));
  CHECK(model.graph().initializer_size() == 1);
  const auto again = test::import_bytes(*joined);
  REQUIRE(again);
  CHECK(same_graph(*again, parts.graph).ok());
}

TEST_CASE("Parts that do not match their manifest are rejected with the part's name") {
  const auto first_input = [](onnx::ModelProto& model) { return model.mutable_graph()->mutable_input(0); };
  CHECK_THAT(refusal_of_changed([](onnx::ModelProto& model) { model.mutable_opset_import(0)->set_version(12); }),
             Contains("part 'q' (q.onnx)") && Contains("has opset 12, but the manifest has 13"));
  CHECK_THAT(refusal_of_changed([&](onnx::ModelProto& model) { first_input(model)->set_name("z"); }),
             Contains("has an input 'z' that is not in the manifest"));
  CHECK_THAT(refusal_of_changed([&](onnx::ModelProto& model) {
               first_input(model)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT8);
             }),
             Contains("input 'a' has a different type or shape"));
  CHECK_THAT(refusal_of_changed([](onnx::ModelProto& model) { model.mutable_graph()->clear_output(); }),
             Contains("has 0 outputs, but the manifest has 1"));
  CHECK_THAT(
      refusal_of_changed([](onnx::ModelProto& model) { model.mutable_graph()->mutable_node(0)->set_output(0, "a"); }),
      Contains("computes 'a', which another part also computes"));
  CHECK_THAT(refusal_of_changed([](onnx::ModelProto& model) {
               model.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->front() = 7;
             }),
             Contains("has a different initializer 'w'"));
  CHECK_THAT(refusal_of_changed([](onnx::ModelProto& model) {
               model.mutable_graph()->mutable_initializer(0)->set_data_location(onnx::TensorProto::EXTERNAL);
             }),
             Contains("stores initializer 'w' in another file"));
  CHECK_THAT(
      refusal_of_changed([](onnx::ModelProto& model) { model.mutable_graph()->mutable_node(0)->set_op_type("Toast"); }),
      Contains("checker of the ONNX library"));
}

TEST_CASE("A file that is not an ONNX model is rejected as a part") {
  for (const std::string& bytes : {std::string(), std::string("not a model"), std::string(1000, '\x0a')}) {
    Divided parts = divided();
    parts.files["p.onnx"] = bytes;
    const auto joined = parts.join();
    REQUIRE_FALSE(joined);
    CHECK(joined.error().code() == Code::kInvalidModel);
    CHECK_THAT(std::string(joined.error().message()), Contains("part 'p'"));
  }
}

TEST_CASE("A manifest without parts is rejected") {
  Divided parts = divided();
  parts.manifest.parts.clear();
  CHECK_FALSE(parts.join());
}

}  // namespace nestrt::compiler
