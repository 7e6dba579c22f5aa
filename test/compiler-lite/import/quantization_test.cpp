// SPDX-License-Identifier: Apache-2.0
// Tests QuantizeLinear, DequantizeLinear and the QLinear operators: small models with hand-calculated results, before
// and after the passes convert them to integers.
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <utility>

#include "compiler-lite/graph/interpreter.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

using compiler::Graph;

// Adds the parameters "NAME_scale" and "NAME_zero" of one tensor.
void add_parameters(ModelBuilder& model, const std::string& name, float scale, int32_t zero,
                    int32_t type = onnx_type::kUint8) {
  model.constant(name + "_scale", {}, std::vector<float>{scale});
  model.constant(name + "_zero", {}, std::vector<int32_t>{zero}, type);
}

// Returns the only output of a graph with one u8 input.
std::vector<uint8_t> run_bytes(const Graph& graph, const std::vector<uint8_t>& input) {
  const compiler::Value& x = graph.value(graph.inputs.at(0).value);
  compiler::HostTensor tensor{x.type, x.shape, compiler::Bytes(input.size())};
  std::memcpy(tensor.elements.data(), input.data(), input.size());
  const auto outputs = compiler::interpret(graph, {tensor});
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  REQUIRE(outputs->front().type == DataType::kU8);
  std::vector<uint8_t> result(outputs->front().elements.size());
  std::memcpy(result.data(), outputs->front().elements.data(), result.size());
  return result;
}

// Checks the output bytes of the graph, as imported and as optimised.
void check_bytes(const ModelBuilder& model, const std::vector<uint8_t>& input, const std::vector<uint8_t>& expected) {
  const auto imported = model.import();
  INFO(imported.error().to_string());
  REQUIRE(imported);
  CHECK(run_bytes(*imported, input) == expected);
  CHECK(run_bytes(optimised(model), input) == expected);
}

onnx::NodeProto& add_microsoft(ModelBuilder& model, const std::string& type, const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = model.node(type, inputs, {"y"});
  node.set_domain("com.microsoft");
  return node;
}

// Adds the constant B of a QGemm, [[3, -2], [1, 4]], with a single scale or one per column.
void add_gemm_constants(ModelBuilder& model, bool transposed, const std::vector<float>& scales) {
  model.constant("b", {2, 2}, transposed ? std::vector<int32_t>{3, 1, -2, 4} : std::vector<int32_t>{3, -2, 1, 4},
                 onnx_type::kInt8);
  const auto count = static_cast<int64_t>(scales.size());
  const std::vector<int64_t> dims = count == 1 ? std::vector<int64_t>() : std::vector<int64_t>{count};
  model.constant("b_scale", dims, scales);
  model.constant("b_zero", dims, std::vector<int32_t>(scales.size(), 0), onnx_type::kInt8);
}

const std::vector<std::string> kGemmInputs = {"x",      "x_scale", "x_zero",  "b",     "b_scale",
                                              "b_zero", "c",       "y_scale", "y_zero"};

bool computes_in_s8(const Graph& graph, ops::Kind kind) {
  for (const auto& node : graph.nodes())
    if (node->kind() == kind) return graph.value(node->inputs[0]).type == DataType::kS8;
  return false;
}

}  // namespace

TEST_CASE("QuantizeLinear and DequantizeLinear compute integers and floats in opsets 10 to 21") {
  for (const int64_t opset : {10, 13, 19, 21}) {
    ModelBuilder model(opset);
    model.input("x", {4});
    add_parameters(model, "x", 0.5f, 3);
    model.node("QuantizeLinear", {"x", "x_scale", "x_zero"}, {"q"});
    model.node("DequantizeLinear", {"q", "x_scale", "x_zero"}, {"y"});
    model.output("y");
    const auto graph = model.import();
    REQUIRE(graph);
    CHECK(run(*graph, {{0.25f, 0.75f, -9.0f, 900.0f}}) == std::vector<float>{0.0f, 1.0f, -1.5f, 126.0f});
    CHECK(run(optimised(model), {{0.25f, 0.75f, -9.0f, 900.0f}}) == std::vector<float>{0.0f, 1.0f, -1.5f, 126.0f});
  }
}

TEST_CASE("Scales along an axis are kept in Quantize and Dequantize") {
  ModelBuilder model;
  model.input("x", {2, 2});
  model.constant("scales", {2}, std::vector<float>{1.0f, 10.0f});
  model.constant("zeros", {2}, std::vector<int32_t>{0, -3}, onnx_type::kInt8);
  set_attribute(model.node("QuantizeLinear", {"x", "scales", "zeros"}, {"q"}), "axis", int64_t{-1});
  set_attribute(model.node("DequantizeLinear", {"q", "scales", "zeros"}, {"y"}), "axis", int64_t{1});
  model.output("y");
  CHECK(run(optimised(model), {{1.4f, 14.0f, -1000.0f, -900.0f}}) == std::vector<float>{1.0f, 10.0f, -128.0f, -900.0f});
}

TEST_CASE("Integers without a zero point are u8, and other operators read them unchanged") {
  ModelBuilder model;
  model.input("x", {3});
  model.constant("scale", {}, std::vector<float>{1.0f});
  model.node("QuantizeLinear", {"x", "scale"}, {"q"});
  model.node("Relu", {"q"}, {"r"});
  set_attribute(model.node("Cast", {"r"}, {"y"}), "to", int64_t{onnx_type::kFloat});
  model.output("y");
  CHECK(run(optimised(model), {{-1.0f, 4.0f, 300.0f}}) == std::vector<float>{0.0f, 4.0f, 255.0f});
}

TEST_CASE("The same integers may be dequantized in two ways") {
  ModelBuilder model;
  model.input("x", {2});
  add_parameters(model, "a", 0.5f, 3);
  add_parameters(model, "b", 2.0f, 0);
  model.node("QuantizeLinear", {"x", "a_scale", "a_zero"}, {"q"});
  model.node("DequantizeLinear", {"q", "a_scale", "a_zero"}, {"a"});
  model.node("DequantizeLinear", {"q", "b_scale", "b_zero"}, {"b"});
  model.node("Sub", {"b", "a"}, {"y"});
  model.output("y");
  CHECK(run(optimised(model), {{1.0f, 2.0f}}) == std::vector<float>{9.0f, 12.0f});  // 5 and 7
}

TEST_CASE("Results that are quantized with different scales are kept separate") {
  ModelBuilder model;
  model.input("x", {1});
  add_parameters(model, "a", 1.0f, 0);
  add_parameters(model, "b", 2.0f, 0);
  for (const std::string name : {"a", "b"}) {
    model.node("QuantizeLinear", {"x", name + "_scale", name + "_zero"}, {"q" + name});
    model.node("DequantizeLinear", {"q" + name, name + "_scale", name + "_zero"}, {"y" + name});
  }
  model.node("Sub", {"yb", "ya"}, {"y"});
  model.output("y");
  CHECK(run(optimised(model), {{3.0f}}) == std::vector<float>{1.0f});
}

TEST_CASE("QLinearConv computes with integers for every type of weights") {
  for (const int32_t type : {onnx_type::kInt8, onnx_type::kUint8}) {
    ModelBuilder model(10);
    model.input("x", {1, 1, 1, 3}, onnx_type::kUint8);
    add_parameters(model, "x", 0.5f, 100);
    model.constant("w", {1, 1, 1, 2}, type == onnx_type::kInt8 ? std::vector<int32_t>{3, -2} : std::vector{131, 126},
                   type);
    add_parameters(model, "w", 0.25f, type == onnx_type::kInt8 ? 0 : 128, type);
    add_parameters(model, "y", 0.5f, 10);
    model.constant("b", {1}, {8}, onnx_type::kInt32);
    auto& node = model.node("QLinearConv",
                            {"x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "b"}, {"y"});
    set_attribute(node, "pads", std::vector<int64_t>{0, 1, 0, 0});
    model.output("y");
    // Inputs minus the zero point: 2, 4, -1. Sums, with the padding's 0 first: -4, -2, 14. Then plus 8, times 0.25,
    // plus 10.
    check_bytes(model, {102, 104, 99}, {11, 12, 16});
    CHECK(computes_in_s8(optimised(model), ops::Kind::kConv));
  }
}

TEST_CASE("Convolutions compute with floats if their weights do not fit s8 without a zero point") {
  ModelBuilder model(10);
  model.input("x", {1, 1, 1, 1}, onnx_type::kUint8);
  add_parameters(model, "x", 1.0f, 0);
  model.constant("w", {1, 1, 1, 1}, {200}, onnx_type::kUint8);
  add_parameters(model, "w", 1.0f, 0);
  add_parameters(model, "y", 100.0f, 0);
  model.node("QLinearConv", {"x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero"}, {"y"});
  model.output("y");
  check_bytes(model, {3}, {6});
  CHECK(!computes_in_s8(optimised(model), ops::Kind::kConv));
}

TEST_CASE("QLinearMatMul by a constant matrix computes with integers, over all leading dimensions") {
  ModelBuilder model(10);
  model.input("a", {1, 2, 2}, onnx_type::kUint8);
  add_parameters(model, "a", 1.0f, 128);
  model.constant("b", {2, 1}, {2, -1}, onnx_type::kInt8);
  add_parameters(model, "b", 0.5f, 0, onnx_type::kInt8);
  add_parameters(model, "y", 1.0f, 5);
  model.node("QLinearMatMul", {"a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "y_scale", "y_zero"}, {"y"});
  model.output("y");
  check_bytes(model, {129, 130, 138, 127}, {5, 15});  // 0 and 21, halved, the latter to the even 10
  CHECK(computes_in_s8(optimised(model), ops::Kind::kDense));
}

TEST_CASE("The QLinear operators of com.microsoft compute with integers") {
  ModelBuilder model;
  model.input("x", {1, 1, 2, 2}, onnx_type::kUint8);
  add_parameters(model, "x", 0.5f, 100);
  add_parameters(model, "y", 1.0f, 10);
  const auto add = [&](const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& node = model.node(type, inputs, {output});
    node.set_domain("com.microsoft");
    return &node;
  };
  add("QLinearAdd", {"x", "x_scale", "x_zero", "x", "x_scale", "x_zero", "y_scale", "y_zero"}, "sum");
  add("QLinearGlobalAveragePool", {"sum", "y_scale", "y_zero", "y_scale", "y_zero"}, "mean");
  set_attribute(*add("QLinearLeakyRelu", {"mean", "y_scale", "y_zero", "y_scale", "y_zero"}, "leaky"), "alpha", 0.5f);
  set_attribute(
      *add("QLinearConcat", {"y_scale", "y_zero", "mean", "y_scale", "y_zero", "leaky", "y_scale", "y_zero"}, "y"),
      "axis", int64_t{1});
  model.output("y");
  // Sums: 1, -3, -9, 3. Their mean: -2.
  check_bytes(model, {101, 97, 91, 103}, {8, 9});
  const Graph graph = optimised(model);
  CHECK(computes_in_s8(graph, ops::Kind::kBinary));
  CHECK(computes_in_s8(graph, ops::Kind::kPool));
  for (const auto& node : graph.nodes()) CHECK(node->kind() != ops::Kind::kDequantize);
}

TEST_CASE("QGemm computes with integers for one scale or one per column, and for B transposed or not") {
  for (const bool transposed : {false, true}) {
    for (const bool by_column : {false, true}) {
      ModelBuilder model;
      model.input("x", {2, 2}, onnx_type::kUint8);
      add_parameters(model, "x", 0.5f, 100);
      add_gemm_constants(model, transposed, by_column ? std::vector<float>{0.25f, 0.5f} : std::vector<float>{0.25f});
      model.constant("c", {2}, {8, -4}, onnx_type::kInt32);
      add_parameters(model, "y", 0.5f, 10);
      set_attribute(add_microsoft(model, "QGemm", kGemmInputs), "transB", int64_t{transposed});
      model.output("y");
      // Products: [10, 12], [-7, -14]. With C: [18, 8], [1, -18]. The results are a quarter of these (half in the
      // second column), rounded half to even.
      check_bytes(model, {102, 104, 99, 96},
                  by_column ? std::vector<uint8_t>{14, 14, 10, 1} : std::vector<uint8_t>{14, 12, 10, 6});
      CHECK(computes_in_s8(optimised(model), ops::Kind::kDense));
    }
  }
}

TEST_CASE("QGemm without an output scale returns floats, and alpha applies to products and C") {
  // Products: [10, 12], [-8, 10], in steps of 2 * 0.5 * 0.25.
  const std::vector<std::pair<std::vector<int64_t>, std::vector<float>>> cases = {
      {{2, 2}, {3.5f, 4.0f, -4.0f, 3.5f}},  // C is 4, 4; -8, 4
      {{2, 1}, {3.5f, 4.0f, -4.0f, 0.5f}},  // 4; -8
      {{1, 2}, {3.5f, 1.0f, -1.0f, 0.5f}},  // 4, -8
      {{1}, {3.5f, 4.0f, -1.0f, 3.5f}},     // 4
      {{0}, {2.5f, 3.0f, -2.0f, 2.5f}},     // no C
  };
  for (const auto& [dims, expected] : cases) {
    ModelBuilder model;
    model.input("floats", {2, 2});
    add_parameters(model, "x", 0.5f, 3);
    model.node("QuantizeLinear", {"floats", "x_scale", "x_zero"}, {"x"});
    add_gemm_constants(model, false, {0.25f});
    std::vector<int32_t> c = dims.size() == 2 && dims[0] == dims[1] ? std::vector{4, 4, -8, 4} : std::vector{4, -8};
    if (dims.size() == 1) c.resize(static_cast<size_t>(dims[0]));
    if (!c.empty()) model.constant("c", dims, c, onnx_type::kInt32);
    std::vector<std::string> inputs(kGemmInputs.begin(), kGemmInputs.begin() + (c.empty() ? 6 : 7));
    onnx::NodeProto& node = add_microsoft(model, "QGemm", inputs);
    set_attribute(node, "transA", int64_t{1});
    set_attribute(node, "alpha", 2.0f);
    model.output("y");
    const std::vector<float> x = {1.0f, -1.5f, 2.0f, 0.5f};  // 2, -3; 4, 1 of the scale
    const auto imported = model.import();
    INFO(imported.error().to_string());
    REQUIRE(imported);
    CHECK(run(*imported, {x}) == expected);
    CHECK(run(optimised(model), {x}) == expected);
  }
}

TEST_CASE("A single C is scaled with each column's scale") {
  ModelBuilder model;
  model.input("x", {1, 2}, onnx_type::kUint8);
  add_parameters(model, "x", 0.5f, 100);
  add_gemm_constants(model, false, {0.25f, 0.5f});
  model.constant("c", {}, {8}, onnx_type::kInt32);
  add_parameters(model, "y", 0.5f, 10);
  add_microsoft(model, "QGemm", kGemmInputs);
  model.output("y");
  check_bytes(model, {102, 104}, {14, 20});  // 18 quarters to the even 4, and 20 halves
}

TEST_CASE("QLinearSoftmax follows the opset that it specifies") {
  const auto check = [](int64_t opset, std::optional<int64_t> axis, const std::vector<uint8_t>& expected) {
    ModelBuilder model;
    model.input("x", {1, 2, 2}, onnx_type::kUint8);
    add_parameters(model, "x", 1.0986123f, 128);  // steps of ln 3
    add_parameters(model, "y", 1.0f / 256, 0);
    onnx::NodeProto& node = add_microsoft(model, "QLinearSoftmax", {"x", "x_scale", "x_zero", "y_scale", "y_zero"});
    set_attribute(node, "opset", opset);
    if (axis) set_attribute(node, "axis", *axis);
    model.output("y");
    check_bytes(model, {129, 128, 128, 128}, expected);
  };
  check(13, std::nullopt, {192, 64, 128, 128});
  check(13, 1, {192, 128, 64, 128});
  check(12, std::nullopt, {192, 64, 128, 128});
  check(12, 1, {128, 43, 43, 43});
}

TEST_CASE("QLinearReduceMean reads its axes from the attribute in every opset") {
  for (const int64_t opset : {13, 18}) {
    for (const bool all : {false, true}) {
      ModelBuilder model(opset);
      model.input("x", {2, 2}, onnx_type::kUint8);
      add_parameters(model, "x", 0.5f, 100);
      add_parameters(model, "y", 0.25f, 10);
      auto& node = add_microsoft(model, "QLinearReduceMean", {"x", "x_scale", "x_zero", "y_scale", "y_zero"});
      if (!all) set_attribute(node, "axes", std::vector<int64_t>{-1});
      if (!all) set_attribute(node, "keepdims", int64_t{0});
      model.output("y");
      // The means of [1, 2] and [-1.5, -3] are 1.5 and -2.25. The mean of all is -0.375, which is 1.5 steps below 10
      // and rounds to the even 8.
      check_bytes(model, {102, 104, 97, 94}, all ? std::vector<uint8_t>{8} : std::vector<uint8_t>{16, 1});
    }
  }
}

TEST_CASE("QLinearWhere selects the real values of its integers") {
  ModelBuilder model;
  model.input("x", {2, 2}, onnx_type::kUint8);
  model.constant("condition", {2, 1}, {1, 0}, onnx_type::kBool);
  model.constant("other", {}, {7}, onnx_type::kUint8);
  add_parameters(model, "x", 0.5f, 100);
  add_parameters(model, "other", 2.0f, 5);
  add_parameters(model, "y", 0.25f, 10);
  add_microsoft(model, "QLinearWhere",
                {"condition", "x", "x_scale", "x_zero", "other", "other_scale", "other_zero", "y_scale", "y_zero"});
  model.output("y");
  check_bytes(model, {102, 99, 0, 255}, {14, 8, 26, 26});  // 1, -0.5; 4, 4
}

TEST_CASE("Invalid forms of QGemm and QLinearSoftmax are rejected") {
  const auto refuse = [](float alpha, int32_t c_type, size_t num_inputs, const std::vector<float>& scales) {
    ModelBuilder model;
    model.input("x", {1, 2}, onnx_type::kUint8);
    add_parameters(model, "x", 1.0f, 0);
    add_gemm_constants(model, false, scales);
    model.constant("c", {2}, {0, 0}, c_type);
    add_parameters(model, "y", 1.0f, 0);
    std::vector<std::string> inputs(kGemmInputs.begin(), kGemmInputs.begin() + static_cast<ptrdiff_t>(num_inputs));
    set_attribute(add_microsoft(model, "QGemm", inputs), "alpha", alpha);
    model.output("y");
    return message_of(model);
  };
  CHECK_THAT(refuse(-1.0f, onnx_type::kInt32, 9, {1}), Catch::Contains("alpha -1 is not positive"));
  CHECK_THAT(refuse(1e30f, onnx_type::kInt32, 9, {1e30f}), Catch::Contains("scales must be positive and finite"));
  CHECK_THAT(refuse(1.0f, onnx_type::kInt8, 9, {1}), Catch::Contains("C must be int32"));
  CHECK_THAT(refuse(1.0f, onnx_type::kInt32, 8, {1}), Catch::Contains("must both be present"));
  CHECK_THAT(refuse(1.0f, onnx_type::kInt32, 9, {1, 1, 1}), Catch::Contains("3 scales do not fit axis 1 of shape 2x2"));
  ModelBuilder vector;
  vector.input("x", {2}, onnx_type::kUint8);
  add_parameters(vector, "x", 1.0f, 0);
  add_gemm_constants(vector, false, {1});
  add_microsoft(vector, "QGemm", std::vector<std::string>(kGemmInputs.begin(), kGemmInputs.begin() + 6));
  vector.output("y");
  CHECK_THAT(message_of(vector), Catch::Contains("A and B must be matrices"));
  ModelBuilder softmax;
  softmax.input("x", {1, 2}, onnx_type::kUint8);
  add_parameters(softmax, "x", 1.0f, 0);
  add_microsoft(softmax, "QLinearSoftmax", {"x", "x_scale", "x_zero", "x_scale", "x_zero"});
  softmax.output("y");
  CHECK_THAT(message_of(softmax), Catch::Contains("opset"));
}

TEST_CASE("Integers that the model only moves keep their type and scale") {
  ModelBuilder model;
  model.input("x", {1, 1, 2, 2}, onnx_type::kUint8);
  add_parameters(model, "x", 0.5f, 100);
  add_parameters(model, "y", 1.0f, 10);
  model.constant("w", {1, 1, 1, 1}, {2}, onnx_type::kInt8);
  add_parameters(model, "w", 1.0f, 0, onnx_type::kInt8);
  const std::vector<std::string> weights = {"w", "w_scale", "w_zero", "y_scale", "y_zero"};
  const auto conv = [&](const std::string& x, const std::string& parameters, const std::string& y) {
    std::vector<std::string> inputs = {x, parameters + "_scale", parameters + "_zero"};
    inputs.insert(inputs.end(), weights.begin(), weights.end());
    model.node("QLinearConv", inputs, {y});
  };
  conv("x", "x", "first");
  set_attribute(model.node("MaxPool", {"first"}, {"largest"}), "kernel_shape", std::vector<int64_t>{2, 1});
  model.constant("shape", std::vector<int64_t>{1, 1, 2, 1});
  model.node("Reshape", {"largest", "shape"}, {"column"});
  conv("column", "y", "y");
  model.output("y");
  check_bytes(model, {101, 97, 91, 103}, {12, 16});  // 1, -3, -9, 3; of the columns 1, 3; twice that
  const Graph graph = optimised(model);
  CHECK(computes_in_s8(graph, ops::Kind::kPool));
  int requantized = 0;
  for (const auto& node : graph.nodes()) {
    CHECK(node->kind() != ops::Kind::kDequantize);
    requantized += node->kind() == ops::Kind::kRequantize;
  }
  CHECK(requantized == 2);  // the input and the output
}

TEST_CASE("Invalid scales and zero points are rejected") {
  const auto refuse = [](float scale, const std::vector<int32_t>& zeros, int32_t type) {
    ModelBuilder model;
    model.input("x", {4});
    model.constant("scale", {}, std::vector<float>{scale});
    model.constant("zero", {static_cast<int64_t>(zeros.size())}, zeros, type);
    model.node("QuantizeLinear", {"x", "scale", "zero"}, {"y"});
    model.output("y");
    return message_of(model);
  };
  CHECK_THAT(refuse(0.0f, {0}, onnx_type::kUint8), Catch::Contains("scales must be positive and finite"));
  CHECK_THAT(refuse(-1.0f, {0}, onnx_type::kInt8), Catch::Contains("scales must be positive and finite"));
  CHECK_THAT(refuse(1.0f, {0, 0}, onnx_type::kInt8), Catch::Contains("1 scales do not match 2 zero points"));
  CHECK_THAT(refuse(1.0f, {0}, onnx_type::kInt32), Catch::Contains("supported: int8, uint8"));
  ModelBuilder open;
  open.input("x", {4}).input("scale", {1});
  open.node("QuantizeLinear", {"x", "scale"}, {"y"});
  open.output("y");
  CHECK_THAT(message_of(open), Catch::Contains("the scale (tensor 'scale') must be known at compile time"));
  ModelBuilder axis;
  axis.input("x", {2, 4}).constant("scales", {3}, std::vector<float>{1, 1, 1});
  axis.node("QuantizeLinear", {"x", "scales"}, {"y"});
  axis.output("y");
  CHECK_THAT(message_of(axis), Catch::Contains("3 scales do not fit axis 1 of shape 2x4"));
}

}  // namespace nestrt::test
