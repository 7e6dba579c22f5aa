// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/reconstruct.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {
namespace {

// Three Convs, one of them depthwise, and a Gemm, with weights for which 8-bit rounding is noticeable.
std::string small_network() {
  test::ModelBuilder model;
  model.input("x", {1, 4, 8, 8}).output("y");
  const auto numbers = [](size_t count, int seed) {
    std::vector<float> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(static_cast<float>((i * 7919 + static_cast<size_t>(seed) * 104729) % 199) / 199 - 0.5F);
    return result;
  };
  model.constant("w1", {8, 4, 3, 3}, numbers(288, 1)).constant("b1", {8}, numbers(8, 2));
  model.constant("w2", {8, 1, 3, 3}, numbers(72, 3)).constant("w3", {8, 8, 1, 1}, numbers(64, 4));
  model.constant("w4", {8, 5}, numbers(40, 5));
  model.node("Conv", {"x", "w1", "b1"}, {"c1"}, "first");
  model.node("Relu", {"c1"}, {"r1"}, "relu1");
  test::set_attribute(model.node("Conv", {"r1", "w2"}, {"c2"}, "second"), "group", int64_t{8});
  model.node("Relu", {"c2"}, {"r2"}, "relu2");
  model.node("Conv", {"r2", "w3"}, {"c3"}, "third");
  model.node("GlobalAveragePool", {"c3"}, {"p"}, "average");
  model.node("Flatten", {"p"}, {"f"}, "flatten");
  model.node("Gemm", {"f", "w4"}, {"y"}, "fourth");
  return model.bytes();
}

class ReconstructionWorkshop {
 public:
  explicit ReconstructionWorkshop(int64_t samples = 64) : model_(folder_.write_text("model.onnx", small_network())) {
    std::mt19937 generator(7);
    std::normal_distribution<float> pixels(0.3F, 1);
    std::vector<float> values(static_cast<size_t>(samples) * 4 * 8 * 8);
    for (float& value : values) value = pixels(generator);
    options_.samples.npy = folder_.path() + "/samples.npy";
    REQUIRE(tools::write_npy(options_.samples.npy, {DataType::kF32, {samples, 4, 8, 8}, values.data()}).ok());
    CalibrationOptions calibration;
    calibration.samples = options_.samples;
    auto calibrated = calibrate(model_, calibration);
    REQUIRE(calibrated);
    source_ = {options_.samples, true, std::move(calibrated->held_out)};
    compile_.quantization = Quantization{std::move(calibrated->profile), {}, {}};
  }
  const std::string& model() const { return model_; }
  CompileOptions& compile() { return compile_; }
  ReconstructionOptions& options() { return options_; }
  ReplacedConstants constants() const {
    auto result = reconstruct(model_, compile_, options_);
    INFO(result.error().to_string());
    REQUIRE(result);
    return *result;
  }
  ReconstructionGain gain() {
    const auto result = reconstruct_if_better(model_, compile_, source_, options_);
    INFO(result.error().to_string());
    REQUIRE(result);
    return *result;
  }

 private:
  test::TemporaryFolder folder_;
  std::string model_;
  CompileOptions compile_;
  ReconstructionOptions options_;
  NoiseSource source_;
};

TEST_CASE("A reconstruction reduces the noise on samples that it did not use") {
  ReconstructionWorkshop workshop;
  SECTION("with the default corrections") {}
  SECTION("after equalisation") { workshop.compile().quantization->options.corrections.equalisation = true; }
  SECTION("with one scale per tensor") { workshop.compile().quantization->options.per_channel = false; }
  const ReconstructionGain gain = workshop.gain();
  CHECK(gain.num_layers == 4);
  CHECK(gain.after > gain.before);
  CHECK(gain.is_used());
  CHECK(workshop.compile().quantization->options.constants);
  CHECK(compile(workshop.model(), workshop.compile()));
}

TEST_CASE("A reconstruction depends only on the model, the samples and the seed") {
  ReconstructionWorkshop workshop;
  workshop.options().num_positions = 8;  // of 36
  const ReplacedConstants constants = workshop.constants(), again = workshop.constants();
  REQUIRE(constants.size() == 4);
  const auto equal = [](const ReplacedConstants& a, const ReplacedConstants& b) {
    return std::ranges::equal(a, b, [](const auto& first, const auto& second) {
      return first.second.weights == second.second.weights && first.second.bias == second.second.bias;
    });
  };
  CHECK(equal(constants, again));
  workshop.options().seed = 1;
  CHECK_FALSE(equal(constants, workshop.constants()));
}

TEST_CASE("Layers that stay f32 are not reconstructed") {
  ReconstructionWorkshop workshop;
  workshop.compile().quantization->options.keep_f32 = {"second"};
  std::vector<std::pair<size_t, size_t>> calls;
  workshop.options().progress = [&](size_t done, size_t total) { calls.emplace_back(done, total); };
  const ReplacedConstants constants = workshop.constants();
  CHECK(constants.size() == 3);
  CHECK(constants.count("second") == 0);
  CHECK(calls.back() == std::pair<size_t, size_t>(3, 3));
}

TEST_CASE("A single sample cannot both reconstruct and measure") {
  ReconstructionWorkshop workshop(1);
  workshop.options().omits_last = true;
  const auto result = reconstruct(workshop.model(), workshop.compile(), workshop.options());
  CHECK(result.error().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace nestrt::compiler
