// SPDX-License-Identifier: Apache-2.0
// Tests dynamic quantization in the forms that ONNX and ONNX Runtime write, with hand-calculated results before and
// after the passes.
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "compiler-lite/passes/optimise.h"
#include "test/compiler-lite/graph_tools.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

using compiler::Graph;

Graph imported(const ModelBuilder& model) {
  auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return std::move(*graph);
}

Graph with_passes(const ModelBuilder& model) {
  Graph graph = imported(model);
  REQUIRE(compiler::optimise(graph).ok());
  return graph;
}

void check_both(const ModelBuilder& model, const std::vector<std::vector<float>>& inputs,
                const std::vector<float>& expected) {
  CHECK(run(imported(model), inputs) == expected);
  CHECK(run(with_passes(model), inputs) == expected);
}

onnx::NodeProto& microsoft(ModelBuilder& model, const std::string& type, const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = model.node(type, inputs, {"y"});
  node.set_domain("com.microsoft");
  return node;
}

// If x ranges from -1 to 0.9921875, the scale is 2^-7 and the zero point 128.
const std::vector<float> kX = {-1, 0.9921875f, 0.5f, -0.25f};

void add_quantized_x(ModelBuilder& model, const std::vector<int64_t>& dims) {
  model.input("x", dims);
  model.node("DynamicQuantizeLinear", {"x"}, {"q", "q_scale", "q_zero"});
}

// Writes Cast, the product of the scales, and the bias, as quantize_dynamic does.
void add_tail(ModelBuilder& model, const std::string& sums) {
  set_attribute(model.node("Cast", {sums}, {"f"}), "to", int64_t{onnx_type::kFloat});
  model.node("Mul", {"q_scale", "w_scale"}, {"scales"});
  model.node("Mul", {"f", "scales"}, {"scaled"});
  model.node("Add", {"scaled", "bias"}, {"y"});
  model.output("y");
}

}  // namespace

TEST_CASE("DynamicQuantizeLinear has three outputs") {
  ModelBuilder model;
  add_quantized_x(model, {4});
  model.node("DequantizeLinear", {"q", "one", "none"}, {"bytes"});
  model.constant("one", {}, std::vector<float>{1});
  model.constant("none", {}, std::vector<int32_t>{0}, onnx_type::kUint8);
  model.node("Mul", {"bytes", "q_scale"}, {"y"});
  model.output("y");
  check_both(model, {kX}, {0, 255.0f / 128, 192.0f / 128, 96.0f / 128});
}

TEST_CASE("The tail of a dynamically quantized MatMul becomes part of the product") {
  for (const int32_t type : {onnx_type::kInt8, onnx_type::kUint8})
    for (const bool per_column : {false, true}) {
      ModelBuilder model;
      add_quantized_x(model, {2, 2});
      const int32_t zero = type == onnx_type::kUint8 ? 130 : 2;
      model.constant("w", {2, 2}, std::vector<int32_t>{zero + 1, zero + 2, zero - 3, zero + 4}, type);
      model.constant("w_zero", {}, std::vector<int32_t>{zero}, type);
      model.constant("w_scale", per_column ? std::vector<int64_t>{2} : std::vector<int64_t>{},
                     per_column ? std::vector<float>{0.5f, 2} : std::vector<float>{0.5f});
      model.constant("bias", {2}, std::vector<float>{10, 20});
      model.node("MatMulInteger", {"q", "w", "q_zero", "w_zero"}, {"sums"});
      add_tail(model, "sums");
      const float second = per_column ? 2 : 0.5f;
      // Integer rows: [-128, 127] and [64, -32].
      const std::vector<float> expected = {-509 / 256.0f + 10, 252 / 128.0f * second + 20, 160 / 256.0f + 10, 20};
      check_both(model, {kX}, expected);
      const Graph graph = with_passes(model);
      CHECK(graph.nodes().size() == 2);
      CHECK(count(graph, ops::Kind::kMatMulInteger) == 1);
    }
}

TEST_CASE("The tail of a dynamically quantized Conv becomes part of the product") {
  ModelBuilder model;
  add_quantized_x(model, {1, 1, 2, 2});
  model.constant("w", {2, 1, 1, 2}, std::vector<int32_t>{131, 128, 127, 130}, onnx_type::kUint8);
  model.constant("w_zero", {}, std::vector<int32_t>{128}, onnx_type::kUint8);
  model.constant("w_scale", {}, std::vector<float>{2});
  model.constant("bias", {1, 2, 1, 1}, std::vector<float>{1, -1});
  model.node("ConvInteger", {"q", "w", "q_zero", "w_zero"}, {"sums"});
  add_tail(model, "sums");
  // Integer rows [-128, 127] and [64, -32], weight rows [3, 0] and [-1, 2].
  check_both(model, {kX}, {-384 / 64.0f + 1, 192 / 64.0f + 1, 382 / 64.0f - 1, -128 / 64.0f - 1});
  CHECK(with_passes(model).nodes().size() == 2);
}

TEST_CASE("A product that other operators read keeps its integers") {
  ModelBuilder model;
  add_quantized_x(model, {2, 2});
  model.constant("w", {2, 1}, std::vector<int32_t>{1, 2}, onnx_type::kInt8);
  model.constant("w_scale", {}, std::vector<float>{1});
  model.constant("bias", {1}, std::vector<float>{0});
  model.node("MatMulInteger", {"q", "w", "q_zero"}, {"sums"});
  add_tail(model, "sums");
  model.output("sums");
  const Graph graph = with_passes(model);
  CHECK(count(graph, ops::Kind::kCast) == 1);
}

TEST_CASE("DynamicQuantizeMatMul and MatMulIntegerToFloat compute the same product") {
  const std::vector<float> expected = {-509 / 256.0f + 10, 252 / 64.0f + 20, 160 / 256.0f + 10, 20};
  for (const bool dynamic : {false, true}) {
    ModelBuilder model;
    if (dynamic)
      model.input("x", {2, 2});
    else
      add_quantized_x(model, {2, 2});
    model.constant("w", {2, 2}, std::vector<int32_t>{131, 132, 127, 134}, onnx_type::kUint8);
    model.constant("w_zero", {1}, std::vector<int32_t>{130}, onnx_type::kUint8);
    model.constant("w_scale", {2}, std::vector<float>{0.5f, 2});
    model.constant("bias", {2}, std::vector<float>{10, 20});
    if (dynamic)
      microsoft(model, "DynamicQuantizeMatMul", {"x", "w", "w_scale", "w_zero", "bias"});
    else
      microsoft(model, "MatMulIntegerToFloat", {"q", "w", "q_scale", "w_scale", "q_zero", "w_zero", "bias"});
    model.output("y");
    check_both(model, {kX}, expected);
  }
}

TEST_CASE("Zero points that are neither a single value nor one per column are rejected") {
  ModelBuilder model;
  model.input("x", {2, 3});
  model.node("DynamicQuantizeLinear", {"x"}, {"q", "q_scale", "q_zero"});
  model.constant("w", {3, 4}, std::vector<int32_t>(12), onnx_type::kInt8);
  model.constant("rows", {2}, std::vector<int32_t>{1, 2}, onnx_type::kUint8);
  model.node("MatMulInteger", {"q", "w", "rows"}, {"y"});
  model.output("y");
  CHECK(contains(message_of(model), "supported: one value"));
}

namespace {

// Returns an LSTM with one input and one hidden unit. Its weights are `w` and `r` times their scales.
ModelBuilder lstm_model(bool quantized, int32_t type) {
  ModelBuilder model;
  model.input("x", {3, 1, 1});
  model.constant("b", {1, 8}, std::vector<float>{0.1f, 0.2f, -0.1f, 0, 0, 0, 0, 0.3f});
  const std::vector<int32_t> w = {64, -32, 127, 16}, r = {-16, 8, 100, 5};
  if (!quantized) {
    std::vector<float> real_w, real_r;
    for (size_t i = 0; i < 4; ++i) {
      real_w.push_back(static_cast<float>(w[i]) / 64);
      real_r.push_back(static_cast<float>(r[i]) / 128);
    }
    model.constant("w", {1, 4, 1}, real_w).constant("r", {1, 4, 1}, real_r);
    set_attribute(model.node("LSTM", {"x", "w", "r", "b"}, {"y"}), "hidden_size", int64_t{1});
  } else {
    const int32_t zero = type == onnx_type::kUint8 ? 128 : 0;
    const auto shifted = [&](std::vector<int32_t> numbers) {
      for (int32_t& number : numbers) number += zero;
      return numbers;
    };
    model.constant("w", {1, 1, 4}, shifted(w), type).constant("r", {1, 1, 4}, shifted(r), type);
    model.constant("w_scale", {1}, std::vector<float>{1.0f / 64})
        .constant("r_scale", {1}, std::vector<float>{1.0f / 128});
    model.constant("zero", {1}, std::vector<int32_t>{zero}, type);
    onnx::NodeProto& node = microsoft(model, "DynamicQuantizeLSTM",
                                      {"x", "w", "r", "b", "", "", "", "", "w_scale", "zero", "r_scale", "zero"});
    set_attribute(node, "hidden_size", int64_t{1});
  }
  model.output("y");
  return model;
}

}  // namespace

TEST_CASE("DynamicQuantizeLSTM is close to the LSTM with the dequantized weights") {
  const std::vector<std::vector<float>> x = {{-1, 0.9921875f, 0.5f}};
  const std::vector<float> expected = run(imported(lstm_model(false, 0)), x);
  for (const int32_t type : {onnx_type::kInt8, onnx_type::kUint8}) {
    const Graph graph = with_passes(lstm_model(true, type));
    CHECK(graph.value(graph.nodes().back()->inputs[0]).type == DataType::kF32);
    const std::vector<float> y = run(graph, x);
    REQUIRE(y.size() == expected.size());
    // A single state determines the scale, so its integer is 255 or 0 and only the scale is rounded.
    for (size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-3));
  }
}

}  // namespace nestrt::test
