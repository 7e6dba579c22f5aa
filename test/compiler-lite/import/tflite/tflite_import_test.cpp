// SPDX-License-Identifier: Apache-2.0
// Tests the import of float TensorFlow Lite models: results must match loops over channels-last data, without
// Transposes between operators.
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler-lite/import/tflite/lite_table.h"
#include "test/compiler-lite/import/tflite/lite_models.h"
#include "test/compiler-lite/import/tflite/nhwc_reference.h"
#include "test/compiler-lite/import/tflite/run_graph.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using flatbuffers::FlatBufferBuilder;
using tflite::PaddingScheme;

void check_close(const std::vector<float>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    INFO("element " << i);
    CHECK(std::abs(actual[i] - expected[i]) <= 1e-5 * std::max(1.0, std::abs(expected[i])));
  }
}

// Checks the first output of a model as imported and as optimised.
void check_floats(const LiteWriter& model, const std::vector<std::vector<float>>& inputs,
                  const std::vector<double>& expected) {
  check_close(run_floats(imported(model), inputs).at(0), expected);
  check_close(run_floats(optimised(model), inputs).at(0), expected);
}

size_t count_moving_transposes(const Graph& graph) {
  size_t count = 0;
  for (const auto& node : graph.nodes()) count += node->as<ops::Transpose>() != nullptr;
  return count;
}

TEST_CASE("A TensorFlow Lite classifier computes what loops over channels-last images compute") {
  const std::vector<float> image = lite_numbers(126, 9);
  Nhwc x{7, 6, 3, {image.begin(), image.end()}};
  x = convolve(x, lite_numbers(108, 1), 4, {3, 2});
  finish(x, lite_numbers(4, 2), 0, 1e30);
  x = convolve_depthwise(x, lite_numbers(36, 3), {3});
  finish(x, lite_numbers(4, 4), 0, 6);
  x = max_pool(x, {.size = 2, .same = false});
  const std::vector<float> weights = lite_numbers(120, 5);
  std::vector<double> scores(5, 0);
  for (size_t row = 0; row < 5; ++row)
    for (size_t k = 0; k < 24; ++k) scores[row] += x.elements[k] * weights[row * 24 + k];
  check_floats(classifier_model(), {image}, scores);
}

TEST_CASE("Only the image that enters a TensorFlow Lite classifier is transposed") {
  CHECK(count_moving_transposes(optimised(classifier_model())) == 1);
}

TEST_CASE("Inputs and outputs keep the shapes and names of the TensorFlow Lite file") {
  const Graph graph = imported(classifier_model());
  CHECK(graph.value(graph.inputs.at(0).value).name == "x");
  CHECK(graph.value(graph.inputs.at(0).value).shape == Shape{1, 7, 6, 3});
  CHECK(graph.value(graph.outputs[0]).name == "y");
  CHECK(graph.value(graph.outputs[1]).name == "s");
}

TEST_CASE("A signature names inputs and outputs") {
  LiteWriter model;
  const int32_t x = model.input("serving_x:0", {1, 3}), y = model.tensor("StatefulPartitionedCall:0", {1, 3});
  model.add(LiteOp::RELU, {x}, {y}).output(y).signature({{"image", x}}, {{"scores", y}});
  const Graph graph = imported(model);
  CHECK(graph.value(graph.inputs.at(0).value).name == "image");
  CHECK(graph.value(graph.outputs[0]).name == "scores");
}

TEST_CASE("An image that stays in its form leaves the graph as [N, H, W, C]") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2, 2, 2}), c = model.tensor("c", {1, 2, 2, 3});
  const int32_t y = model.tensor("y", {1, 2, 2, 3});
  const int32_t w = model.floats("w", {3, 1, 1, 2}, {1, 0, 0, 1, 1, 1});
  const int32_t scale = model.floats("scale", {3}, {1, 10, 100});
  model.add(LiteOp::CONV_2D, {x, w}, {c}, lite_options::kConv2D, conv_options(PaddingScheme::VALID, 1));
  model.add(LiteOp::MUL, {c, scale}, {y}).output(y);
  check_floats(model, {{1, 2, 3, 4, 5, 6, 7, 8}}, {1, 20, 300, 3, 40, 700, 5, 60, 1100, 7, 80, 1500});
  const Graph graph = optimised(model);
  CHECK(graph.value(graph.outputs[0]).shape == Shape{1, 2, 2, 3});
  CHECK(count_moving_transposes(graph) == 2);
}

TEST_CASE("Dilated depthwise convolutions of TensorFlow Lite pad as the format defines") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 5, 5, 2}), y = model.tensor("y", {1, 5, 5, 2});
  const int32_t w = model.floats("w", {1, 3, 3, 2}, lite_numbers(18, 1));
  model.add(LiteOp::DEPTHWISE_CONV_2D, {x, w}, {y}, lite_options::kDepthwiseConv2D,
            depthwise_options(PaddingScheme::SAME, 1, 2));
  model.output(y);
  const std::vector<float> image = lite_numbers(50, 2);
  Nhwc expected = convolve_depthwise({5, 5, 2, {image.begin(), image.end()}}, lite_numbers(18, 1), {3, 1, 2});
  finish(expected, {0, 0}, 0, 6);
  check_floats(model, {image}, expected.elements);
}

TEST_CASE("A transposed convolution has the output shape that the model specifies") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2, 1, 1}), y = model.tensor("y", {1, 4, 2, 1});
  const int32_t w = model.floats("w", {1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const int32_t shape = model.ints("shape", {1, 4, 2, 1});
  model.add(LiteOp::TRANSPOSE_CONV, {shape, w, x}, {y}, lite_options::kTransposeConv, [](FlatBufferBuilder& builder) {
    return tflite::CreateTransposeConvOptions(builder, PaddingScheme::SAME, 2, 2).Union();
  });
  model.output(y);
  // SAME crops the last row and column of the full 5 x 3 result.
  check_floats(model, {{1, 10}}, {1, 2, 4, 5, 7 + 10, 8 + 20, 40, 50});
}

TEST_CASE("A mean over rows and columns keeps or drops them") {
  for (const bool keep : {false, true}) {
    LiteWriter model;
    const int32_t x = model.input("x", {1, 2, 2, 2}), axes = model.ints("axes", {1, 2});
    const int32_t y = model.tensor("y", keep ? std::vector<int32_t>{1, 1, 1, 2} : std::vector<int32_t>{1, 2});
    model.add(LiteOp::MEAN, {x, axes}, {y}, lite_options::kReducer,
              [keep](FlatBufferBuilder& builder) { return tflite::CreateReducerOptions(builder, keep).Union(); });
    model.output(y);
    check_floats(model, {{1, 2, 3, 4, 5, 6, 7, 12}}, {4, 6});
    CHECK(imported(model).value(imported(model).outputs[0]).shape.rank() == (keep ? 4 : 2));
  }
}

TEST_CASE("Strided slices follow their masks") {
  LiteWriter model;
  const int32_t x = model.input("x", {2, 3, 4}), y = model.tensor("y", {1, 2, 2});
  const int32_t strides = model.ints("strides", {1, 1, 1, -2});
  // x[newaxis, 1, 1:, ::-2] with an end mask on rows.
  model.add(LiteOp::STRIDED_SLICE, {x, model.ints("b", {0, 1, 1, 3}), model.ints("e", {0, 2, 3, 0}), strides}, {y},
            lite_options::kStridedSlice, [](FlatBufferBuilder& builder) {
              return tflite::CreateStridedSliceOptions(builder, 0, 8, 0, 1, 2).Union();
            });
  model.output(y);
  std::vector<float> elements(24);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  check_floats(model, {elements}, {19, 17, 23, 21});
}

TEST_CASE("Weights of float16 and int4 become f32") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2});
  const int32_t half = model.constant("half", {2, 2}, LiteType::FLOAT16,
                                      std::vector<uint16_t>{0x3c00, 0xc000, 0x3800, 0x0000});  // 1, -2, 0.5, 0
  const int32_t wide = model.tensor("wide", {2, 2}), a = model.tensor("a", {1, 2}), y = model.tensor("y", {1, 3});
  const int32_t nibbles = model.constant("nibbles", {3, 2}, LiteType::INT4, std::vector<uint8_t>{0x71, 0xf8, 0x02},
                                         {{0.5f}, {0}});  // 1, 7, -8, -1, 2, 0
  model.add(LiteOp::DEQUANTIZE, {half}, {wide});
  model.add(LiteOp::FULLY_CONNECTED, {x, wide}, {a}).add(LiteOp::FULLY_CONNECTED, {a, nibbles}, {y}).output(y);
  check_floats(model, {{2, 1}}, {3.5, -0.5, 0});
}

TEST_CASE("An LSTM of TensorFlow Lite computes the recurrence") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2, 1}), y = model.tensor("y", {1, 2, 1});
  std::vector<int32_t> inputs(20, -1);
  inputs[0] = x;
  const float weights[] = {0.5f, -0.25f, 1, 0.75f}, recurrent[] = {0.1f, 0.2f, -0.3f, 0.4f},
              bias[] = {0.05f, 1, -0.1f, 0.2f};
  for (size_t gate = 0; gate < 4; ++gate) {
    inputs[1 + gate] = model.floats("w", {1, 1}, {weights[gate]});
    inputs[5 + gate] = model.floats("r", {1, 1}, {recurrent[gate]});
    inputs[12 + gate] = model.floats("b", {1}, {bias[gate]});
  }
  model.add(LiteOp::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {y}, lite_options::kSequenceLstm,
            [](FlatBufferBuilder& builder) {
              return tflite::CreateSequenceLstmOptions(builder, tflite::FusedActivation::TANH).Union();
            });
  model.output(y);
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  double state = 0, cell = 0;
  std::vector<double> expected;
  for (const double input : {0.8, -0.6}) {
    double sums[4];  // input, forget, cell, output
    for (size_t gate = 0; gate < 4; ++gate) sums[gate] = input * weights[gate] + state * recurrent[gate] + bias[gate];
    cell = sigmoid(sums[1]) * cell + sigmoid(sums[0]) * std::tanh(sums[2]);
    state = sigmoid(sums[3]) * std::tanh(cell);
    expected.push_back(state);
  }
  check_floats(model, {{0.8f, -0.6f}}, expected);
}

TEST_CASE("A loop with a constant number of steps is unrolled") { check_floats(loop_model(), {{2, -5}}, {6, -15}); }

TEST_CASE("Dilated convolutions over sequences may be expressed as blocks of batches") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 5, 1}), y = model.tensor("y", {1, 5, 1});
  const int32_t pads = model.constant("pads", {1, 2}, LiteType::INT32, std::vector<int32_t>{0, 1});
  const int32_t crops = model.constant("crops", {1, 2}, LiteType::INT32, std::vector<int32_t>{0, 1});
  const int32_t block = model.ints("block", {2}), factor = model.floats("factor", {2, 1, 1}, {1, 10});
  const int32_t b = model.tensor("b", {2, 3, 1}), m = model.tensor("m", {2, 3, 1});
  model.add(LiteOp::SPACE_TO_BATCH_ND, {x, block, pads}, {b}).add(LiteOp::MUL, {b, factor}, {m});
  model.add(LiteOp::BATCH_TO_SPACE_ND, {m, block, crops}, {y}).output(y);
  check_floats(model, {{1, 2, 3, 4, 5}}, {1, 20, 3, 40, 5});
}

TEST_CASE("A batch that the TensorFlow Lite model leaves open can be fixed") {
  compiler::ImportOptions options;
  options.input_shapes["x"] = {1, 7, 6, 3};
  CHECK(imported(classifier_model(), options).inputs.size() == 1);
  options.input_shapes["x"] = {1, 7, 6, 4};
  CHECK(!classifier_model().import(options));
}

TEST_CASE("A state variable becomes an input and an output") {
  LiteWriter model;
  const auto named = [](FlatBufferBuilder& builder) {
    return tflite::CreateVarHandleOptions(builder, 0, builder.CreateString("history")).Union();
  };
  const int32_t x = model.input("x", {2}), handle = model.tensor("handle", {}, LiteType::RESOURCE);
  const int32_t before = model.tensor("before", {2}), y = model.tensor("y", {2});
  model.add(LiteOp::VAR_HANDLE, {}, {handle}, lite_options::kVarHandle, named);
  model.add(LiteOp::READ_VARIABLE, {handle}, {before}).add(LiteOp::ADD, {before, x}, {y});
  model.add(LiteOp::ASSIGN_VARIABLE, {handle, x}, {}).output(y);
  const Graph graph = imported(model);
  CHECK(graph.value(graph.inputs.at(1).value).name == "history");
  CHECK(graph.value(graph.outputs[1]).name == "history.next");
  const auto results = run_floats(graph, {{1, 2}, {10, 20}});
  CHECK(results.at(0) == std::vector<float>{11, 22});
  CHECK(results.at(1) == std::vector<float>{1, 2});
}

TEST_CASE("int16 tensors become real numbers limited to the range of their scale") {
  LiteWriter model;
  const LiteScales scales{{0.5f}, {0}};
  const int32_t x = model.input("x", {1, 2}), q = model.tensor("q", {1, 2}, LiteType::INT16, scales);
  const int32_t w = model.constant("w", {1, 2}, LiteType::INT8, std::vector<int8_t>{2, 4}, {{0.25f}, {0}});
  const int32_t b =
      model.constant("b", {1}, LiteType::INT64, std::vector<int64_t>{-8}, {{1.0f}, {0}});  // a scale that is ignored
  const int32_t s = model.tensor("s", {1, 1}, LiteType::INT16, scales), y = model.tensor("y", {1, 1});
  model.add(LiteOp::QUANTIZE, {x}, {q}).add(LiteOp::FULLY_CONNECTED, {q, w, b}, {s});
  model.add(LiteOp::DEQUANTIZE, {s}, {y}).output(y);
  check_floats(model, {{1.25f, 3}}, {1.25 * 0.5 + 3 - 1});
  check_floats(model, {{0, 20000}}, {16383.5 - 1});
  check_floats(model, {{-40000, -40000}}, {-16384});
}

TEST_CASE("The first bytes of a file determine its format") {
  const std::string folder = std::filesystem::temp_directory_path() / ("nestrt-tflite-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/model";
  const auto write = [&](const std::vector<std::byte>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  write(classifier_model().bytes());
  CHECK(compiler::is_tflite(path));
  CHECK(!compiler::is_hybrid_tflite(path));
  const auto graph = compiler::import_model(path);
  REQUIRE(graph);
  CHECK(graph->name == "model");
  write(std::vector<std::byte>(64));
  CHECK(!compiler::is_tflite(path));
  CHECK(!compiler::import_model(path));
  CHECK(!compiler::is_tflite(folder + "/missing"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("The guide lists exactly the TensorFlow Lite operators that can be imported") {
  std::ifstream file(NESTRT_SOURCE_DIR "/docs/how-to/tensorflow-lite.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t first = text.find("Supported:\n"), last = text.find(".\n", first);
  REQUIRE(last != std::string::npos);
  const std::string list = text.substr(first, last - first);
  for (const compiler::LiteRule& rule : compiler::lite_rules()) {
    const bool is_custom = rule.code == LiteOp::CUSTOM;
    const std::string name = is_custom ? std::string(rule.custom) : compiler::LiteCode{rule.code, ""}.name();
    INFO(name);
    CHECK(list.find("`" + name + "`") != std::string::npos);
  }
  CHECK(static_cast<size_t>(std::count(list.begin(), list.end(), '`')) == 2 * compiler::lite_rules().size());
}

}  // namespace
}  // namespace nestrt::test
