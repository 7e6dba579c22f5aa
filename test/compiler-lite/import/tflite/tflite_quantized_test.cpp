// SPDX-License-Identifier: Apache-2.0
// Tests the import of quantized TensorFlow Lite models: every byte must equal integer arithmetic with the rounding of
// LiteRT's default kernels. Before the passes, operators that round differently must be within one step.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/passes/optimise.h"
#include "test/compiler-lite/import/tflite/lite_models.h"
#include "test/compiler-lite/import/tflite/nhwc_reference.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using flatbuffers::FlatBufferBuilder;
using tflite::PaddingScheme;

Graph imported_bytes(const LiteWriter& model, bool optimises) {
  auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  if (optimises) REQUIRE(compiler::optimise(*graph).ok());
  return std::move(*graph);
}

// Returns the first output of a graph with one input of bytes.
template <typename T>
std::vector<T> run_lite_bytes(const Graph& graph, const std::vector<T>& input) {
  const compiler::Value& x = graph.value(graph.inputs.at(0).value);
  const auto outputs = compiler::interpret(graph, {{x.type, x.shape, compiler::to_bytes(input)}});
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  std::vector<T> result(outputs->front().elements.size());
  std::memcpy(result.data(), outputs->front().elements.data(), result.size());
  return result;
}

template <typename T>
void check_lite_bytes(const LiteWriter& model, const std::vector<T>& input, const std::vector<T>& expected) {
  CHECK(run_lite_bytes(imported_bytes(model, false), input) == expected);
  CHECK(run_lite_bytes(imported_bytes(model, true), input) == expected);
}

// Checks the bytes after the passes, and that all operators are integer operators.
template <typename T>
void check_integer_bytes(const LiteWriter& model, const std::vector<T>& input, const std::vector<T>& expected) {
  const Graph graph = imported_bytes(model, true);
  CHECK(run_lite_bytes(graph, input) == expected);
  for (const auto& node : graph.nodes())
    for (const compiler::ValueId id : node->inputs) CHECK(graph.value(id).type != DataType::kF32);
}

// Requantizes accumulators by channel: one multiplication in f32, rounded half to even.
void requantize(Nhwc& x, const std::vector<float>& factors, const std::vector<int32_t>& bias, int zero, double low,
                double high) {
  for (size_t i = 0; i < x.elements.size(); ++i) {
    const size_t c = i % static_cast<size_t>(x.channels);
    const float steps = static_cast<float>(x.elements[i] + (bias.empty() ? 0 : bias[c])) * factors[c % factors.size()];
    x.elements[i] = std::clamp(std::nearbyint(double{steps}) + zero, low, high);
  }
}

std::vector<float> factors_of(float input, const std::vector<float>& weights, float output) {
  std::vector<float> result;
  for (const float scale : weights) result.push_back(input * scale / output);
  return result;
}

TEST_CASE("An int8 TensorFlow Lite classifier computes the bytes of integer arithmetic") {
  const std::vector<int8_t> image = lite_bytes_of(126, 9);
  Nhwc x = convolve({7, 6, 3, {image.begin(), image.end()}}, lite_bytes_of(108, 1), 4, {3, 2}, -3);
  requantize(x, factors_of(0.05f, {0.01f, 0.02f, 0.005f, 0.01f}, 0.04f), {900, -50, 7000, 3}, -128, -128, 127);
  x = convolve_depthwise(x, lite_bytes_of(36, 2), {3}, -128);
  // RELU6 clips between the zero point and the byte that represents 6.
  requantize(x, factors_of(0.04f, {0.01f, 0.02f, 0.015f, 0.01f}, 0.07f), {}, 5, 5, 5 + std::nearbyint(6 / 0.07));
  const std::vector<int8_t> weights = lite_bytes_of(240, 3);
  Nhwc scores{1, 1, 5, std::vector<double>(5, 0)};
  for (size_t row = 0; row < 5; ++row)
    for (size_t k = 0; k < 48; ++k) scores.elements[row] += (x.elements[k] - 5) * weights[row * 48 + k];
  requantize(scores, factors_of(0.07f, {0.01f}, 0.3f), {}, 10, -128, 127);
  check_lite_bytes(quantized_classifier_model(), image,
                   std::vector<int8_t>(scores.elements.begin(), scores.elements.end()));
}

TEST_CASE("The products of an int8 TensorFlow Lite classifier become integer operators") {
  const Graph graph = imported_bytes(quantized_classifier_model(), true);
  size_t products = 0;
  for (const auto& node : graph.nodes()) {
    CHECK(node->as<ops::Dequantize>() == nullptr);
    CHECK(node->as<ops::Quantize>() == nullptr);
    if (!node->as<ops::Conv>() && !node->as<ops::Dense>()) continue;
    ++products;
    CHECK(graph.value(node->inputs[0]).type == DataType::kS8);
  }
  CHECK(products == 3);
}

TEST_CASE("Average pools of bytes round halves away from zero") {
  for (const LiteType type : {LiteType::INT8, LiteType::UINT8}) {
    LiteWriter model;
    const LiteWriter::Scales scales{{0.5f}, {3}};
    const int32_t x = model.input("x", {1, 2, 4, 1}, type, scales), y = model.tensor("y", {1, 1, 2, 1}, type, scales);
    model.add(LiteOp::AVERAGE_POOL_2D, {x}, {y}, lite_options::kPool2D, pool_options(PaddingScheme::VALID, 2, 2));
    model.output(y);
    // Sums of 6 and -6 (or 506) give 1.5 and -1.5.
    if (type == LiteType::INT8)
      check_integer_bytes(model, std::vector<int8_t>{1, 2, -1, -2, 3, 0, -3, 0}, {2, -2});
    else
      check_integer_bytes(model, std::vector<uint8_t>{1, 2, 250, 251, 3, 0, 251, 250}, {2, 251});
  }
}

TEST_CASE("Products of bytes are rounded once, half to even") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 1, 4, 1}, LiteType::INT8, {{0.5f}, {1}});
  const int32_t gate = model.constant("gate", {1}, LiteType::INT8, std::vector<int8_t>{8}, {{0.25f}, {-2}});
  const int32_t y = model.tensor("y", {1, 1, 4, 1}, LiteType::INT8, {{2.5f}, {-7}});
  model.add(LiteOp::MUL, {x, gate}, {y}).output(y);
  // In steps: (x - 1) * 10 * 0.05 = 0.5, 1.5, -2.5, 63, which round to 0, 2, -2, 63; then -7 is added.
  check_integer_bytes(model, std::vector<int8_t>{2, 4, -4, 127}, {-7, -5, -9, 56});
}

TEST_CASE("Sums and differences of bytes round half up") {
  for (const LiteOp op : {LiteOp::ADD, LiteOp::SUB}) {
    LiteWriter model;
    const int32_t x = model.input("x", {1, 1, 4, 1}, LiteType::INT8, {{0.5f}, {1}});
    const int32_t other = model.constant("other", {1}, LiteType::INT8, std::vector<int8_t>{6}, {{0.5f}, {4}});
    const int32_t y = model.tensor("y", {1, 1, 4, 1}, LiteType::INT8, {{1.0f}, {0}});
    model.add(op, {x, other}, {y}).output(y);
    // In steps: 1/2, -1/2, 3/2 and -3/2, plus or minus 1.
    const bool adds = op == LiteOp::ADD;
    check_integer_bytes(model, std::vector<int8_t>{2, 0, 4, -2},
                        adds ? std::vector<int8_t>{2, 1, 3, 0} : std::vector<int8_t>{0, -1, 1, -2});
  }
}

TEST_CASE("Bilinear resizing of bytes rounds half up") {
  LiteWriter model;
  const LiteWriter::Scales scales{{0.5f}, {7}};
  const int32_t x = model.input("x", {1, 1, 2, 1}, LiteType::INT8, scales);
  const int32_t y = model.tensor("y", {1, 1, 4, 1}, LiteType::INT8, scales);
  model.add(LiteOp::RESIZE_BILINEAR, {x, model.ints("size", {1, 4})}, {y}).output(y);
  check_integer_bytes(model, std::vector<int8_t>{0, 11}, {0, 6, 11, 11});
  check_integer_bytes(model, std::vector<int8_t>{0, -11}, {0, -5, -11, -11});
}

TEST_CASE("Pads and nearest resizing of int8 images stay integers and pad with the zero point") {
  LiteWriter model;
  const LiteWriter::Scales scales{{0.5f}, {7}};
  const int32_t x = model.input("x", {1, 1, 2, 1}, LiteType::INT8, scales);
  const int32_t pads = model.constant("pads", {4, 2}, LiteType::INT32, std::vector<int32_t>{0, 0, 0, 0, 1, 0, 0, 0});
  const int32_t p = model.tensor("p", {1, 1, 3, 1}, LiteType::INT8, scales);
  const int32_t y = model.tensor("y", {1, 1, 6, 1}, LiteType::INT8, scales);
  model.add(LiteOp::PAD, {x, pads}, {p});
  model.add(LiteOp::RESIZE_NEAREST_NEIGHBOR, {p, model.ints("size", {1, 6})}, {y}).output(y);
  check_lite_bytes(model, std::vector<int8_t>{-5, 90}, {7, 7, -5, -5, 90, 90});
  const Graph graph = imported_bytes(model, true);
  for (const auto& node : graph.nodes()) CHECK(node->as<ops::Dequantize>() == nullptr);
}

TEST_CASE("The table of a uint8 activation uses the output's quantization") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 4}, LiteType::UINT8, {{0.1f}, {128}});
  const int32_t y = model.tensor("y", {1, 4}, LiteType::UINT8, {{1.0f / 256}, {0}});
  model.add(LiteOp::LOGISTIC, {x}, {y}).output(y);
  std::vector<uint8_t> expected;
  for (const int byte : {0, 100, 128, 255})
    expected.push_back(
        static_cast<uint8_t>(std::min(255.0, std::nearbyint(256 / (1 + std::exp(-(byte - 128) * double{0.1f}))))));
  check_lite_bytes(model, std::vector<uint8_t>{0, 100, 128, 255}, expected);
}

constexpr uint8_t kBatchMatMul = 101;  // value in BuiltinOptions

TEST_CASE("Products of two int8 matrices that are known only at run time are exact sums, rounded once") {
  for (const bool is_transposed : {false, true}) {
    LiteWriter model;
    const LiteWriter::Scales scales{{0.5f}, {3}};
    const int32_t x = model.input("x", {2, 1, 2}, LiteType::INT8, scales);
    const int32_t y = model.tensor("y", {2, 1, 1}, LiteType::INT8, {{0.25f}, {-7}});
    const int32_t r =
        model.tensor("r", is_transposed ? std::vector{2, 1, 2} : std::vector{2, 2, 1}, LiteType::INT8, scales);
    model.add(LiteOp::RESHAPE, {x, model.ints("shape", is_transposed ? std::vector{2, 1, 2} : std::vector{2, 2, 1})},
              {r});
    model.add(LiteOp::BATCH_MATMUL, {x, r}, {y}, kBatchMatMul, [&](FlatBufferBuilder& builder) {
      return tflite::CreateBatchMatMulOptions(builder, false, is_transposed).Union();
    });
    model.output(y);
    // The product of each row with itself, in steps of 0.5 * 0.5 / 0.25: (5 - 3)^2 + (-1 - 3)^2 - 7, and 100 + 36 - 7,
    // which saturates.
    check_lite_bytes(model, std::vector<int8_t>{5, -1, 13, 9}, {13, 127});
    bool has_product = false;
    const Graph graph = imported_bytes(model, true);
    for (const auto& node : graph.nodes()) has_product |= node->as<ops::MatMulInteger>() != nullptr;
    CHECK(has_product);
  }
}

// Two filters with a memory of 3; rank 1.
LiteWriter quantized_svdf_model(LiteType state_type = LiteType::INT16) {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2}, LiteType::INT8, {{0.5f}, {1}});
  const int32_t feature =
      model.constant("feature", {2, 2}, LiteType::INT8, std::vector<int8_t>{1, 0, 0, -127}, {{0.5f}, {0}});
  const int32_t time =
      model.constant("time", {2, 3}, LiteType::INT16, std::vector<int16_t>{1, 10, 100, 2, 20, -200}, {{0.125f}, {0}});
  const int32_t bias = model.constant("bias", {2}, LiteType::INT32, std::vector<int32_t>{16, -48}, {{1.0f}, {0}});
  const int32_t state = model.variable("state", {1, 6}, state_type, {{0.75f}, {0}});
  const int32_t y = model.tensor("y", {1, 2}, LiteType::INT8, {{1.5f}, {-20}});
  constexpr uint8_t kSvdf = 6;
  model.add(LiteOp::SVDF, {x, feature, time, bias, state}, {y}, kSvdf, [](FlatBufferBuilder& builder) {
    return tflite::CreateSvdfOptions(builder, 1, tflite::FusedActivation::RELU).Union();
  });
  model.output(y);
  return model;
}

TEST_CASE("An int8 SVDF rounds its state to int16 steps") {
  const Graph graph = imported_bytes(quantized_svdf_model(), true);
  // New results: (9 - 1) * 1 / 3 = 2.67 and (-1 - 1) * -127 / 3 = 84.67 steps of 0.75, which are rounded.
  const std::vector<int8_t> x{9, -1};
  const std::vector<float> old{0, 3.0f * 0.75f, -2.0f * 0.75f, 0, 60.0f * 0.75f, 90.0f * 0.75f};
  const auto outputs = compiler::interpret(
      graph, {{DataType::kS8, {1, 2}, compiler::to_bytes(x)}, {DataType::kF32, {1, 6}, compiler::to_bytes(old)}});
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  const auto& next = outputs->at(1).elements;
  std::vector<float> state(next.size() / sizeof(float));
  std::memcpy(state.data(), next.data(), next.size());
  CHECK(state == std::vector<float>{2.25f, -1.5f, 2.25f, 45, 67.5f, 63.75f});
  // Sums of steps of 0.75 * 0.125, of which 16 are a step of the output: 3 - 20 + 300 + 16 = 299 and
  // 120 + 1800 - 17000 - 48 = -15128.
  const auto* y = reinterpret_cast<const int8_t*>(outputs->at(0).elements.data());
  CHECK(int{y[0]} == -1);  // 18.69 - 20
  CHECK(int{y[1]} == -128);
}

TEST_CASE("The state of an int8 SVDF must be int16") {
  CHECK(quantized_svdf_model().import());
  CHECK(quantized_svdf_model(LiteType::INT8).import().error().code() == Code::kUnsupported);
}

}  // namespace
}  // namespace nestrt::test
