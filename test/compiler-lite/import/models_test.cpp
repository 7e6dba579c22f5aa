// SPDX-License-Identifier: Apache-2.0
// Tests that the networks in the shared data can be imported and interpreted.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/import/import.h"
#include "test/support/shared_data.h"

namespace nestrt::compiler {
namespace {

using test::shared_data;

Graph import_or_fail(const std::filesystem::path& path, const ImportOptions& options = {}) {
  auto graph = import_onnx(path, options);
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return std::move(*graph);
}

HostTensor filled(const Value& value, float element) {
  const std::vector<float> elements(static_cast<size_t>(value.shape.num_elements()), element);
  HostTensor tensor{value.type, value.shape, Bytes(elements.size() * sizeof(float))};
  std::memcpy(tensor.elements.data(), elements.data(), tensor.elements.size());
  return tensor;
}

const std::vector<std::string> kModels = {"ad01_autoencoder",
                                          "bvlc_googlenet",
                                          "dscnn_kws",
                                          "mnist_cntk",
                                          "mobilenet_v1_0.25_128_deq",
                                          "mobilenet_v2_1.0_224_qat_deq",
                                          "mobilenetv1_025_vww",
                                          "nest_squeeze_cifar10",
                                          "resnet20",
                                          "resnet32",
                                          "resnet50_v1.5_q8w_deq",
                                          "resnet8_cifar10",
                                          "squeezenet1.1",
                                          "ultraface-version-RFB-320_simplified",
                                          "yunet_n_320_320"};

TEST_CASE("Every shared network with static shapes is imported") {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : kModels) {
    const auto path = shared_data("models/" + name + ".onnx");
    if (!path) return;
    files.push_back(*path);
  }
  for (const std::filesystem::path& file : files) {
    INFO(file);
    const Graph graph = import_or_fail(file);
    CHECK(!graph.nodes().empty());
    for (const auto& node : graph.nodes()) {
      for (ValueId id : node->inputs) CHECK((id == kNoValue || graph.value(id).shape.rank() <= Shape::kMaxRank));
    }
  }
}

TEST_CASE("A network with dynamic shapes requires shapes from the caller, and all its shape arithmetic is folded") {
  const auto path = shared_data("models/ch_PP-OCRv4_det_infer.onnx");
  if (!path) return;
  const auto refused = import_onnx(*path);
  REQUIRE(!refused);
  CHECK(refused.error().code() == Code::kInvalidArgument);
  CHECK(std::string(refused.error().message()).find("--input-shape x=") != std::string::npos);

  ImportOptions options;
  options.input_shapes["x"] = {1, 3, 320, 320};
  const Graph graph = import_or_fail(*path, options);
  CHECK(graph.value(graph.outputs[0]).shape == Shape{1, 1, 320, 320});
  for (const auto& node : graph.nodes()) CHECK(graph.value(node->outputs[0]).type == DataType::kF32);
}

// Returns reproducible numbers, derived from k * 37 modulo 201.
HostTensor pattern(const Shape& shape, int factor, int modulus, int scale) {
  std::vector<float> elements;
  for (int i = 0; i < shape.num_elements(); ++i)
    elements.push_back(static_cast<float>(i * factor % modulus - modulus / 2) / static_cast<float>(scale));
  return {DataType::kF32, shape, to_bytes(elements)};
}

ImportOptions silero_options(int64_t rate, int64_t samples) {
  ImportOptions options;
  options.input_shapes["input"] = {1, samples};
  options.input_shapes["state"] = {2, 1, 128};
  options.bindings["sr"] = {DataType::kS64, Shape(), to_bytes(std::vector<int64_t>{rate})};
  return options;
}

// Expected values from ONNX Runtime 1.31 for the same inputs.
TEST_CASE("A recurrent network with branches selected by a bound input runs as in ONNX Runtime") {
  const auto path = shared_data("models/silero_vad_v5.onnx");
  if (!path) return;
  struct Case {
    int64_t rate, samples;
    float speech, first_state, last_state;
  };
  for (const Case& c : {Case{16000, 512, 0.05639267f, 0.00039788f, -0.00903349f},
                        Case{8000, 256, 0.1432473f, 0.50357842f, -0.27882275f}}) {
    const Graph graph = import_or_fail(*path, silero_options(c.rate, c.samples));
    const auto outputs = interpret(graph, {pattern({1, c.samples}, 37, 201, 200), pattern({2, 1, 128}, 29, 101, 100)});
    REQUIRE(outputs);
    const auto* state = reinterpret_cast<const float*>((*outputs)[1].elements.data());
    CHECK(*reinterpret_cast<const float*>((*outputs)[0].elements.data()) == Approx(c.speech).epsilon(1e-5));
    CHECK(state[0] == Approx(c.first_state).margin(1e-6));
    CHECK(state[255] == Approx(c.last_state).margin(1e-6));
  }
}

TEST_CASE("A network with branches of unknown condition is rejected, and the message contains the remedy") {
  const auto path = shared_data("models/silero_vad_v5.onnx");
  if (!path) return;
  ImportOptions options = silero_options(16000, 512);
  options.bindings.clear();
  const auto refused = import_onnx(*path, options);
  REQUIRE(!refused);
  CHECK(refused.error().code() == Code::kUnsupported);
  const std::string message(refused.error().message());
  CHECK(message.find("the condition") != std::string::npos);
  CHECK(message.find("bind the input") != std::string::npos);
}

TEST_CASE("An imported network is interpreted node by node") {
  const auto path = shared_data("models/nest_squeeze_cifar10.onnx");
  if (!path) return;
  const Graph graph = import_or_fail(*path);
  const auto outputs = interpret(graph, {filled(graph.value(graph.inputs[0].value), 0.25f)});
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  double sum = 0;
  for (int64_t i = 0; i < outputs->front().shape.num_elements(); ++i) {
    sum += reinterpret_cast<const float*>(outputs->front().elements.data())[i];
  }
  CHECK(sum == Approx(1).margin(1e-5));  // a softmax
}

}  // namespace
}  // namespace nestrt::compiler
