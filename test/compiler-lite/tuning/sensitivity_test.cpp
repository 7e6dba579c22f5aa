// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/sensitivity.h"

#include <catch2/catch.hpp>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/tuning/evaluator.h"
#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

TEST_CASE("The layer with the largest loss in 8 bits comes first") {
  const test::TemporaryFolder folder;
  test::write_small_classifier(folder.path());
  EvaluationOptions options;
  options.samples.npy = folder.path() + "/samples.npy";
  auto evaluator = Evaluator::create(folder.path() + "/model.onnx", options);
  REQUIRE(evaluator);
  CalibrationOptions calibration;
  calibration.samples = options.samples;
  auto calibrated = calibrate(folder.path() + "/model.onnx", calibration);
  REQUIRE(calibrated);
  Quantization quantization{calibrated->profile, {}, {}};

  SECTION("with only this layer in s8, and with all other layers in s8") {
    SensitivityOptions measure;
    measure.samples = 1000;  // more than available
    measure.all_but_one = true;
    std::vector<std::pair<size_t, size_t>> calls;
    measure.progress = [&](size_t done, size_t total) { calls.emplace_back(done, total); };
    const auto result = measure_sensitivity(*evaluator, quantization, measure);
    INFO(result.error().to_string());
    REQUIRE(result);
    REQUIRE(result->layers.size() == 3);
    CHECK(result->all.samples == 24);
    CHECK(result->layers[0].name == "second");
    CHECK(result->layers[0].kind == "Conv");
    CHECK(result->layers[0].mac_share == Approx(16.0 / 44));
    CHECK(result->layers[0].alone.decibel < 10);
    CHECK(result->layers[1].alone.decibel > 25);
    CHECK(result->layers[1].alone.decibel <= result->layers[2].alone.decibel);
    // The loss disappears if only this layer stays f32, and remains if any other layer does.
    CHECK(result->layers[0].all_but_one->decibel > result->all.decibel + 15);
    CHECK(result->layers[2].all_but_one->decibel < 10);
    REQUIRE(calls.size() == 8);
    CHECK(calls.front() == std::pair<size_t, size_t>(0, 7));
    CHECK(calls.back() == std::pair<size_t, size_t>(7, 7));
  }
  SECTION("considering only layers that may be s8") {
    quantization.options.keep_f32 = {"second"};
    const auto result = measure_sensitivity(*evaluator, quantization, {});
    REQUIRE(result);
    REQUIRE(result->layers.size() == 2);
    CHECK(result->all.samples == 8);
    CHECK(result->all.f32_share == Approx(16.0 / 44));
    for (const LayerSensitivity& layer : result->layers) {
      CHECK(layer.name != "second");
      CHECK_FALSE(layer.all_but_one);
    }
  }
}

}  // namespace
}  // namespace nestrt::compiler
