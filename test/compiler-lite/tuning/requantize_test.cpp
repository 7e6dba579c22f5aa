// SPDX-License-Identifier: Apache-2.0
// Tests --requantize: the scales of quantized models become powers of two.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <span>

#include "compiler-lite/import/import_model.h"
#include "compiler-lite/tuning/noise.h"
#include "nestrt/plan.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {
namespace {

using test::ModelBuilder;

constexpr int64_t kNumSamples = 24;

std::vector<float> random_numbers(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> result(count);
  for (float& number : result) number = normal(generator);
  return result;
}

// Quantizes to u8 and dequantizes.
void add_pair(ModelBuilder& model, const std::string& from, const std::string& to, float scale, int zero_point) {
  model.constant(to + "_s", {}, std::vector<float>{scale});
  model.constant(to + "_z", {}, std::vector<int32_t>{zero_point}, test::onnx_type::kUint8);
  model.node("QuantizeLinear", {from, to + "_s", to + "_z"}, {to + "_q"}, to + "_quantize");
  model.node("DequantizeLinear", {to + "_q", to + "_s", to + "_z"}, {to}, to + "_dequantize");
}

void add_weights(ModelBuilder& model, const std::string& name, const std::vector<int64_t>& dims, uint32_t seed) {
  std::vector<int32_t> integers;
  for (const float number : random_numbers(static_cast<size_t>(dims[0] * dims[1]), seed))
    integers.push_back(std::min(127, std::max(-127, static_cast<int>(40 * number))));
  model.constant(name + "_q", dims, integers, test::onnx_type::kInt8);
  model.constant(name + "_s", {}, std::vector<float>{0.013F});
  model.constant(name + "_z", {}, std::vector<int32_t>{0}, test::onnx_type::kInt8);
  model.node("DequantizeLinear", {name + "_q", name + "_s", name + "_z"}, {name}, name + "_dequantize");
}

// x -> Conv whose output range includes the Relu -> Conv -> y.
ModelBuilder quantized_network() {
  ModelBuilder model;
  model.input("x", {1, 3, 8, 8}).output("y");
  add_pair(model, "x", "xd", 0.027F, 120);
  add_weights(model, "w1", {6, 3, 1, 1}, 1);
  model.node("Conv", {"xd", "w1"}, {"c1"}, "first");
  add_pair(model, "c1", "a", 0.017F, 0);
  add_weights(model, "w2", {4, 6, 1, 1}, 2);
  model.node("Conv", {"a", "w2"}, {"y"}, "second");
  return model;
}

struct RequantizeWorkshop {
  test::TemporaryFolder folder;
  CompileOptions compile;
  SampleOptions samples;

  explicit RequantizeWorkshop(const ModelBuilder& model = quantized_network()) {
    folder.write_text("model.onnx", model.bytes());
    tools::Array array{DataType::kF32, {kNumSamples, 3, 8, 8}, {}};
    const std::vector<float> numbers = random_numbers(static_cast<size_t>(array.shape.num_elements()), 7);
    const auto bytes = std::as_bytes(std::span(numbers));
    array.bytes.assign(bytes.begin(), bytes.end());
    samples.npy = folder.path() + "/samples.npy";
    REQUIRE(tools::write_npy(samples.npy, array.view()).ok());
    compile.import.drops_quantization = true;
  }
  std::string model() const { return folder.path() + "/model.onnx"; }
};

}  // namespace

TEST_CASE("A requantized model has exponents, and its noise is measured against the original model") {
  RequantizeWorkshop workshop;
  CalibrationOptions options;
  options.compile = workshop.compile;
  options.samples = workshop.samples;
  auto calibration = calibrate(workshop.model(), options);
  INFO(calibration.error().to_string());
  REQUIRE(calibration);
  workshop.compile.quantization = Quantization{std::move(calibration->profile), {}, {}};
  int s8_nodes = 0;
  workshop.compile.quantization->observer = [&](const QuantizationReport& report) { s8_nodes = report.s8_nodes; };
  const auto bytes = compile(workshop.model(), workshop.compile);
  INFO(bytes.error().to_string());
  REQUIRE(bytes);
  CHECK(s8_nodes == 2);
  const auto plan = Plan::from_memory(bytes->span());
  REQUIRE(plan);
  for (const plan::Tensor& tensor : (*plan)->tables().tensors)
    if (tensor.quantization) CHECK(tensor.quantization->scales.empty());
  const auto report = bound_noise(workshop.model(), workshop.compile, {workshop.samples, true, {}}, {});
  INFO(report.error().to_string());
  REQUIRE(report);
  REQUIRE(report->outputs.size() == 1);
  // Measured: 8-bit activations and weights of two layers, rounded on top of the model's own rounding.
  CHECK(report->outputs[0].decibel > 25);
  CHECK(report->outputs[0].decibel < 60);
}

TEST_CASE("A range that starts at zero is kept as a clip") {
  const RequantizeWorkshop workshop;
  const auto graph = import_model(workshop.model(), workshop.compile.import);
  REQUIRE(graph);
  int clips = 0;
  for (const auto& node : graph->nodes()) {
    CHECK(node->as<ops::Quantize>() == nullptr);
    const auto* unary = node->as<ops::Unary>();
    if (unary == nullptr) continue;
    CHECK(unary->kind == ops::UnaryKind::kClip);
    CHECK(unary->alpha == 0);
    CHECK(unary->beta == 255 * 0.017F);
    ++clips;
  }
  CHECK(clips == 1);
}

TEST_CASE("Models without quantized activations are rejected") {
  ModelBuilder model;
  model.input("x", {1, 3, 8, 8}).output("y");
  model.node("Relu", {"x"}, {"y"}, "relu");
  const RequantizeWorkshop workshop(model);
  const auto graph = import_model(workshop.model(), workshop.compile.import);
  REQUIRE(!graph);
  CHECK_THAT(graph.error().to_string(), Catch::Contains("no quantized activations"));
}

}  // namespace nestrt::compiler
