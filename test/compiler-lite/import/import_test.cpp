// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/import.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "compiler-lite/graph/interpreter.h"
#include "nestrt/log.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::HostTensor;
using compiler::ImportOptions;

Graph import_or_fail(const ModelBuilder& model, const ImportOptions& options = {}) {
  auto graph = model.import(options);
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return std::move(*graph);
}

std::multiset<std::string> kinds(const Graph& graph) {
  std::multiset<std::string> result;
  for (const auto& node : graph.nodes()) result.emplace(ops::name(node->kind()));
  return result;
}

// --- inputs ---------------------------------------------------------------------------------------------------------

TEST_CASE("A batch dimension becomes one if it is the only dynamic one") {
  ModelBuilder model;
  model.input("x", {0, 3}).output("y").node("Relu", {"x"}, {"y"});
  std::string warning;
  set_log_hook([&](LogLevel, std::string_view message) { warning = message; });
  const Graph graph = import_or_fail(model);
  set_log_hook({});
  CHECK(graph.value(graph.inputs[0].value).shape == Shape{1, 3});
  CHECK(contains(warning, "input 'x'"));
  CHECK(contains(warning, "is not fixed by the model and becomes 1"));
  CHECK(contains(warning, "--input-shape x=1,3"));
}

TEST_CASE("Other dynamic dimensions must be specified, and the error explains how") {
  ModelBuilder model;
  model.input("image", {0, 3, 0, 0}).output("y").node("Relu", {"image"}, {"y"});
  const std::string message = message_of(model);
  CHECK(contains(message, "input 'image'"));
  CHECK(contains(message, "dimension 2 ('N')"));
  CHECK(contains(message, "--input-shape image="));
  ImportOptions options;
  options.input_shapes["image"] = {2, 3, 8, 8};
  const Graph graph = import_or_fail(model, options);
  CHECK(graph.value(graph.outputs[0]).shape == Shape{2, 3, 8, 8});
}

TEST_CASE("Specified shapes must match the model") {
  ModelBuilder model;
  model.input("x", {1, 3}).output("y").node("Relu", {"x"}, {"y"});
  ImportOptions wrong;
  wrong.input_shapes["x"] = {1, 4};
  CHECK(contains(message_of(model, wrong), "shape 1x4 does not fit the model's 1,3"));
  ImportOptions unknown;
  unknown.input_shapes["z"] = {1, 3};
  CHECK(contains(message_of(model, unknown), "no input 'z'; its inputs are: 'x' (1,3)"));
}

TEST_CASE("A bound input becomes a constant") {
  ModelBuilder model;
  model.input("x", {2, 3}).input("shape", {2}, onnx_type::kInt64).output("y").node("Reshape", {"x", "shape"}, {"y"});
  CHECK(contains(message_of(model), "shape (tensor 'shape') must be known at compile time"));
  ImportOptions options;
  HostTensor shape{DataType::kS64, {2}, compiler::Bytes(16)};
  const int64_t target[2] = {3, 2};
  std::memcpy(shape.elements.data(), target, 16);
  options.bindings["shape"] = shape;
  const Graph graph = import_or_fail(model, options);
  CHECK(graph.inputs.size() == 1);
  CHECK(graph.value(graph.outputs[0]).shape == Shape{3, 2});
  options.bindings["shape"].type = DataType::kF32;
  CHECK(contains(message_of(model, options), "has type s64"));
}

// --- the graph as a whole -------------------------------------------------------------------------------------------

TEST_CASE("Unsupported operators are listed in one message") {
  ModelBuilder model;
  model.input("x", {1}).output("y");
  model.node("Det", {"x"}, {"a"});
  model.node("Det", {"a"}, {"b"});
  model.node("NoSuchThing", {"b"}, {"c"}).set_domain("org.example");
  model.node("Unique", {"c"}, {"y"});
  const std::string message = message_of(model);
  for (const char* part : {"unsupported: 3 operators", "Det (2 nodes, first 'Det1')",
                           "org.example.NoSuchThing (1 node, 'NoSuchThing3')", "Unique (1 node"}) {
    INFO(message);
    CHECK(contains(message, part));
  }
}

TEST_CASE("Nodes may be in any order") {
  ModelBuilder model;
  model.input("x", {2}).output("y");
  model.node("Neg", {"a"}, {"y"});
  model.node("Exp", {"x"}, {"a"});
  CHECK(run(import_or_fail(model), {{0, 0}}) == std::vector<float>{-1, -1});
}

TEST_CASE("Shape arithmetic is computed during import") {
  ModelBuilder model;
  model.input("x", {2, 3, 4})
      .output("y")
      .constant("zero", std::vector<int64_t>{0})
      .constant("rest", std::vector<int64_t>{-1});
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"first"});
  set_attribute(model.node("Concat", {"first", "rest"}, {"target"}), "axis", int64_t{0});
  model.node("Reshape", {"x", "target"}, {"y"});
  const Graph graph = import_or_fail(model);
  CHECK(kinds(graph) == std::multiset<std::string>{"Reshape"});
  CHECK(graph.value(graph.outputs[0]).shape == Shape{2, 12});
}

TEST_CASE("Outputs keep the model's names even if their nodes are removed") {
  ModelBuilder model;
  model.input("x", {2}).output("same").output("again").output("relu");
  model.node("Identity", {"x"}, {"same"});
  model.node("Relu", {"x"}, {"r"});
  model.node("Dropout", {"r"}, {"relu"});
  model.node("Identity", {"r"}, {"again"});
  const Graph graph = import_or_fail(model);
  std::vector<std::string> names;
  for (compiler::ValueId id : graph.outputs) names.push_back(graph.value(id).name);
  CHECK(names == std::vector<std::string>{"same", "again", "relu"});
  CHECK(graph.value(graph.inputs[0].value).name == "x");
}

TEST_CASE("Half- and double-precision weights become f32") {
  ModelBuilder model;
  model.input("x", {3}).output("y").constant("half", {3}, {}).constant("double", {3}, {});
  auto& half = *model.graph().mutable_initializer(0);
  half.set_data_type(onnx::TensorProto::FLOAT16);
  for (const int bits : {0x3c00, 0xc000, 0x0001}) half.add_int32_data(bits);  // 1, -2, 2^-24
  auto& wide = *model.graph().mutable_initializer(1);
  wide.set_data_type(onnx::TensorProto::DOUBLE);
  for (const double element : {1.0, 2.0, 0.0}) wide.add_double_data(element);
  model.node("Mul", {"x", "half"}, {"a"});
  model.node("Add", {"a", "double"}, {"y"});
  CHECK(run(import_or_fail(model), {{1, 1, 1}}) == std::vector<float>{2, 0, 0x1p-24f});
}

TEST_CASE("A newer opset is accepted if its operators are known") {
  ModelBuilder model(99);
  model.input("x", {2}).output("y").node("Relu", {"x"}, {"y"});
  CHECK(model.import());
}

// --- operators ------------------------------------------------------------------------------------------------------

TEST_CASE("BatchNormalization becomes one multiplication and one addition") {
  ModelBuilder model;
  model.input("x", {1, 2, 1, 1}).output("y");
  model.constant("scale", {2}, {2, 1})
      .constant("bias", {2}, {1, 0})
      .constant("mean", {2}, {3, 0})
      .constant("var", {2}, {4, 1});
  set_attribute(model.node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y"}), "epsilon", 0.0f);
  const Graph graph = import_or_fail(model);
  CHECK(kinds(graph) == std::multiset<std::string>{"Binary", "Binary"});
  CHECK(run(graph, {{5, 7}}) == std::vector<float>{3, 7});
}

TEST_CASE("Gemm with constant weights becomes Dense, with its factors folded") {
  ModelBuilder model;
  model.input("x", {2, 1}).output("y").constant("w", {3, 2}, {1, 2, 3, 4, 5, 6}).constant("c", {3}, {1, 1, 1});
  onnx::NodeProto& gemm = model.node("Gemm", {"x", "w", "c"}, {"y"});
  set_attribute(gemm, "alpha", 2.0f);
  set_attribute(gemm, "beta", 10.0f);
  set_attribute(gemm, "transA", int64_t{1});
  set_attribute(gemm, "transB", int64_t{1});
  const Graph graph = import_or_fail(model);
  CHECK(kinds(graph) == std::multiset<std::string>{"Dense", "Transpose"});
  CHECK(run(graph, {{1, 1}}) == std::vector<float>{16, 24, 32});
}

TEST_CASE("Gemm with operands that are not constant is imported as a matrix product") {
  ModelBuilder model;
  model.input("a", {1, 2}).input("b", {2, 2}).input("c", {1, 2}).output("y");
  set_attribute(model.node("Gemm", {"a", "b", "c"}, {"y"}), "alpha", 2.0f);
  CHECK(run(import_or_fail(model), {{1, 1}, {1, 2, 3, 4}, {1, 0}}) == std::vector<float>{9, 12});
}

TEST_CASE("MatMul by constant weights is Dense over all leading dimensions") {
  ModelBuilder model;
  model.input("x", {2, 1, 2}).output("y").constant("w", {2, 1}, {1, 10});
  model.node("MatMul", {"x", "w"}, {"y"});
  const Graph graph = import_or_fail(model);
  CHECK(kinds(graph).count("Dense") == 1);
  CHECK(graph.value(graph.outputs[0]).shape == Shape{2, 1, 1});
  CHECK(run(graph, {{1, 2, 3, 4}}) == std::vector<float>{21, 43});
}

TEST_CASE("Softmax before opset 13 runs over its axis and all following axes") {
  ModelBuilder model(11);
  model.input("x", {1, 2, 2}).output("y").node("Softmax", {"x"}, {"y"});
  CHECK(run(import_or_fail(model), {{0, 0, 0, 0}}) == std::vector<float>{0.25f, 0.25f, 0.25f, 0.25f});
  ModelBuilder flat(11);
  flat.input("x", {1, 4, 1, 1}).output("y").node("Softmax", {"x"}, {"y"});
  CHECK(kinds(import_or_fail(flat)) == std::multiset<std::string>{"Softmax"});
}

TEST_CASE("SAME padding adds the odd pixel on the side that the model specifies") {
  const auto pads = [](const std::string& mode) {
    ModelBuilder model;
    model.input("x", {1, 1, 4, 4}).output("y").constant("w", {1, 1, 3, 3}, std::vector<float>(9, 1));
    onnx::NodeProto& conv = model.node("Conv", {"x", "w"}, {"y"});
    set_attribute(conv, "auto_pad", mode);
    set_attribute(conv, "strides", std::vector<int64_t>{2, 2});
    const Graph graph = import_or_fail(model);
    const auto* table = graph.nodes()[0]->as<ops::Conv>();
    return std::vector<int32_t>{table->pad_begin[0], table->pad_end[0]};
  };
  CHECK(pads("SAME_UPPER") == std::vector<int32_t>{0, 1});
  CHECK(pads("SAME_LOWER") == std::vector<int32_t>{1, 0});
  CHECK(pads("VALID") == std::vector<int32_t>{0, 0});
}

TEST_CASE("Scale and bias of a LayerNormalization are broadcast and may differ between normalized slices") {
  using Dims = std::vector<int64_t>;
  const auto normalized = [](const Dims& scale, const std::vector<float>& elements, const Dims& bias) {
    ModelBuilder model(17);
    model.input("x", {2, 2}).output("y").constant("scale", scale, elements).constant("bias", bias, {1});
    model.node("LayerNormalization", {"x", "scale", "bias"}, {"y"});
    std::vector<float> y = run(import_or_fail(model), {{-1, 1, 4, 8}});
    for (float& element : y) element = std::round(element * 1000) / 1000;
    return y;
  };
  CHECK(normalized({1}, {2}, {1, 1}) == std::vector<float>{-1, 3, -1, 3});
  CHECK(normalized({2, 1}, {2, 3}, {1}) == std::vector<float>{-1, 3, -2, 4});
}

TEST_CASE("A LayerNormalization whose scale has more elements than its input is invalid") {
  ModelBuilder model(17);
  model.input("x", {1, 2}).output("y").constant("scale", {2, 1}, {1, 1});
  model.node("LayerNormalization", {"x", "scale"}, {"y"});
  const auto graph = model.import();
  REQUIRE(!graph);
  CHECK(graph.error().code() == Code::kInvalidModel);
}

TEST_CASE("A grid of one pixel with align_corners is at the first corner") {
  ModelBuilder model(20);
  model.input("theta", {1, 2, 3}).output("y").constant("size", std::vector<int64_t>{1, 1, 1, 2});
  set_attribute(model.node("AffineGrid", {"theta", "size"}, {"y"}), "align_corners", int64_t{1});
  CHECK(run(import_or_fail(model), {{1, 0, 0, 0, 1, 0}}) == std::vector<float>{-1, -1, 1, -1});
}

TEST_CASE("Split becomes slices") {
  ModelBuilder model;
  model.input("x", {4}).output("b").constant("parts", std::vector<int64_t>{1, 3});
  model.node("Split", {"x", "parts"}, {"a", "b"});
  const Graph graph = import_or_fail(model);
  CHECK(kinds(graph) == std::multiset<std::string>{"Slice"});  // the unused part is removed
  CHECK(run(graph, {{1, 2, 3, 4}}) == std::vector<float>{2, 3, 4});
}

TEST_CASE("A BatchNormalization with a mean per element is rejected with that reason") {
  ModelBuilder model(8);
  model.input("x", {1, 2, 1, 1}).output("y");
  for (const char* name : {"scale", "bias", "mean", "var"}) model.constant(name, {2}, {1, 1});
  set_attribute(model.node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y"}), "spatial", int64_t{0});
  const auto graph = model.import();
  REQUIRE(!graph);
  CHECK(graph.error().code() == Code::kUnsupported);
  CHECK(graph.error().message().find("spatial = 0") != std::string_view::npos);
}

TEST_CASE("A cropped region is resized by sizes because scales are ambiguous") {
  const auto resized = [](float end, bool by_scales) {
    ModelBuilder model(13);
    model.input("x", {4}).output("y").constant("roi", {2}, {0, end}).constant("scale", {1}, {2});
    model.constant("size", std::vector<int64_t>{8});
    onnx::NodeProto& node = by_scales ? model.node("Resize", {"x", "roi", "scale"}, {"y"})
                                      : model.node("Resize", {"x", "roi", "", "size"}, {"y"});
    set_attribute(node, "coordinate_transformation_mode", std::string("tf_crop_and_resize"));
    return model.import();
  };
  CHECK(resized(0.5F, false));
  CHECK(resized(1, true));
  const auto refused = resized(0.5F, true);
  REQUIRE(!refused);
  CHECK(refused.error().message().find("specify sizes instead of scales") != std::string_view::npos);
}

TEST_CASE("Slice clamps its bounds, and steps backwards") {
  const auto sliced = [](int64_t start, int64_t end, int64_t step) {
    ModelBuilder model;
    model.input("x", {4})
        .output("y")
        .constant("s", std::vector<int64_t>{start})
        .constant("e", std::vector<int64_t>{end});
    model.constant("axis", std::vector<int64_t>{0}).constant("step", std::vector<int64_t>{step});
    model.node("Slice", {"x", "s", "e", "axis", "step"}, {"y"});
    return run(import_or_fail(model), {{0, 1, 2, 3}});
  };
  CHECK(sliced(1, INT64_MAX, 1) == std::vector<float>{1, 2, 3});
  CHECK(sliced(-1, INT64_MIN, -2) == std::vector<float>{3, 1});
  CHECK(sliced(INT64_MIN, 2, 1) == std::vector<float>{0, 1});
  CHECK(sliced(0, 4, INT64_MAX) == std::vector<float>{0});
  CHECK(sliced(3, 0, INT64_MIN) == std::vector<float>{3});
  CHECK(sliced(-9, -99, -1) == std::vector<float>{0});  // as in the ONNX specification and ONNX Runtime
}

TEST_CASE("8-bit integers wrap around like the model's type") {
  ModelBuilder model;
  model.input("x", {2}, onnx_type::kUint8).output("y");
  model.node("Add", {"x", "x"}, {"sum"});
  set_attribute(model.node("Cast", {"sum"}, {"y"}), "to", int64_t{onnx_type::kFloat});
  const Graph graph = import_or_fail(model);
  const auto outputs = compiler::interpret(graph, {{DataType::kU8, {2}, {std::byte{200}, std::byte{3}}}});
  REQUIRE(outputs);
  const auto* sums = reinterpret_cast<const float*>(outputs->front().elements.data());
  CHECK(sums[0] == 144);
  CHECK(sums[1] == 6);
}

TEST_CASE("A missing limit of Clip is the limit of f32 even if the other limit is an input") {
  const float infinity = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  const std::vector<float> x{-infinity, 1, infinity};
  const auto clipped = [&](const std::vector<std::string>& inputs, bool limit_is_input = false) {
    ModelBuilder model;
    model.input("x", {3}).output("y").node("Clip", inputs, {"y"});
    if (!limit_is_input) return run(import_or_fail(model.constant("half", {}, std::vector<float>{0.5f})), {x});
    return run(import_or_fail(model.input("half", {})), {x, {0.5f}});
  };
  CHECK(clipped({"x"}) == std::vector<float>{-largest, 1, largest});
  for (const bool limit_is_input : {false, true}) {
    CHECK(clipped({"x", "half"}, limit_is_input) == std::vector<float>{0.5f, 1, largest});
    CHECK(clipped({"x", "", "half"}, limit_is_input) == std::vector<float>{-largest, 0.5f, 0.5f});
  }
}

TEST_CASE("Opset 6 operators broadcast along their axis") {
  ModelBuilder model(6);
  model.input("x", {1, 2, 2}).output("y").constant("b", {2}, {10, 20});
  onnx::NodeProto& add = model.node("Add", {"x", "b"}, {"y"});
  set_attribute(add, "broadcast", int64_t{1});
  set_attribute(add, "axis", int64_t{1});
  CHECK(run(import_or_fail(model), {{0, 1, 2, 3}}) == std::vector<float>{10, 11, 22, 23});
}

TEST_CASE("Upsample in old opsets repeats pixels") {
  ModelBuilder model(9);
  model.input("x", {1, 1, 1, 2}).output("y").constant("scales", {4}, {1, 1, 2, 2});
  model.node("Upsample", {"x", "scales"}, {"y"});
  CHECK(run(import_or_fail(model), {{1, 2}}) == std::vector<float>{1, 1, 2, 2, 1, 1, 2, 2});
}

TEST_CASE("A pool's window that exceeds its input by less than a stride has one output, as in ONNX Runtime") {
  for (const char* type : {"MaxPool", "AveragePool"}) {
    ModelBuilder model;
    model.input("x", {1, 1, 1, 4}).output("y");
    onnx::NodeProto& pool = model.node(type, {"x"}, {"y"});
    set_attribute(pool, "kernel_shape", std::vector<int64_t>{2, 2});
    set_attribute(pool, "strides", std::vector<int64_t>{2, 2});
    const bool is_max = std::string(type) == "MaxPool";
    CHECK(run(import_or_fail(model), {{1, 3, 5, 9}}) == (is_max ? std::vector<float>{3, 9} : std::vector<float>{2, 7}));
  }
  ModelBuilder beyond;
  beyond.input("x", {1, 1, 1, 4}).output("y");
  set_attribute(beyond.node("MaxPool", {"x"}, {"y"}), "kernel_shape", std::vector<int64_t>{2, 2});
  CHECK(contains(message_of(beyond), "fits into the padded input"));
}

}  // namespace
}  // namespace nestrt::test
