// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/noise.h"

#include <catch2/catch.hpp>

#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// In small_classifier(), "second" causes nearly all of the noise.
class NoiseWorkshop {
 public:
  explicit NoiseWorkshop(size_t samples = 24) {
    test::write_small_classifier(folder_.path(), samples);
    CalibrationOptions options;
    options.samples = over_samples();
    auto calibration = calibrate(model(), options);
    REQUIRE(calibration);
    held_out_ = std::move(calibration->held_out);
    compile_.quantization = Quantization{std::move(calibration->profile), {}, {}};
  }
  std::string model() const { return folder_.path() + "/model.onnx"; }
  SampleOptions over_samples() const {
    SampleOptions samples;
    samples.npy = folder_.path() + "/samples.npy";
    return samples;
  }
  const std::optional<HeldOut>& held_out() const { return held_out_; }
  Result<NoiseReport> noise(std::optional<double> min_decibel, bool have_calibrated = true) const {
    const NoiseSource source{over_samples(), have_calibrated, have_calibrated ? held_out_ : std::nullopt};
    return bound_noise(model(), compile_, source, {.min_decibel = min_decibel});
  }
  CompileOptions& compile() { return compile_; }

 private:
  test::TemporaryFolder folder_;
  std::optional<HeldOut> held_out_;
  CompileOptions compile_;
};

TEST_CASE("The noise is measured on samples that do not calibrate the estimate") {
  const NoiseWorkshop workshop;  // two parts, of 16 and of 8 samples
  REQUIRE(workshop.held_out());
  CHECK(workshop.held_out()->omitted.begin == 0);
  CHECK(workshop.held_out()->omitted.end == 16);
  CHECK(workshop.held_out()->profile.samples == 8);
  const auto report = workshop.noise({});
  REQUIRE(report);
  CHECK(report->samples == 16);
  CHECK_FALSE(report->have_calibrated);
  REQUIRE(report->outputs.size() == 1);
  CHECK(report->outputs[0].name == "y");
  CHECK(report->outputs[0].decibel < 10);
  REQUIRE(!report->noisy.empty());
  CHECK(report->noisy[0].name == "second");
  CHECK(report->kept.empty());
  CHECK(report->met);
}

TEST_CASE("Few samples are divided into three quarters that calibrate and one that measures") {
  const NoiseWorkshop workshop(9);
  CHECK_FALSE(workshop.held_out());
  const auto report = workshop.noise({});
  REQUIRE(report);
  CHECK(report->samples == 3);
  CHECK_FALSE(report->have_calibrated);
  const NoiseWorkshop single(1);
  const auto of_one = single.noise({});
  REQUIRE(of_one);
  CHECK(of_one->samples == 1);
  CHECK(of_one->have_calibrated);
  CHECK_THAT(describe(*of_one), Contains("over 1 sample also used for calibration"));
}

TEST_CASE("Noise on separate samples is measured for the compiled quantization itself") {
  const NoiseWorkshop workshop;
  const auto report = workshop.noise({}, false);
  REQUIRE(report);
  CHECK(report->samples == 16);
  EvaluationOptions options;
  options.samples = workshop.over_samples();
  options.samples.limit = 16;
  auto evaluator = Evaluator::create(workshop.model(), options);
  REQUIRE(evaluator);
  NoiseWorkshop copy;
  const auto score = evaluator->evaluate(*copy.compile().quantization, 16);
  REQUIRE(score);
  CHECK(report->outputs[0].decibel == Approx(score->decibel));
}

TEST_CASE("A bound keeps as few operators in f32 as necessary, noisiest first") {
  const NoiseWorkshop workshop;
  const auto report = workshop.noise(20);
  REQUIRE(report);
  CHECK(report->met);
  CHECK(report->kept == std::vector<std::string>{"second"});
  CHECK(report->outputs[0].decibel >= 20);
  CHECK(report->noisy.empty());
  CHECK(warning_about(*report, "{}", ",", "").empty());
  const auto unneeded = workshop.noise(0);
  REQUIRE(unneeded);
  CHECK(unneeded->kept.empty());
}

TEST_CASE("A bound that no choice of operators reaches is reported as not met") {
  const NoiseWorkshop workshop;
  const auto report = workshop.noise(100);
  REQUIRE(report);
  CHECK_FALSE(report->met);
}

TEST_CASE("Operators that the options keep in f32 add no noise") {
  NoiseWorkshop workshop;
  workshop.compile().quantization->options.keep_f32 = {"second"};
  const auto report = workshop.noise({});
  REQUIRE(report);
  CHECK(report->outputs[0].decibel > 20);
  CHECK(report->noisy.empty());
}

TEST_CASE("A warning names the output, the operators and the options") {
  NoiseReport report;
  CHECK(report.worst() == nullptr);
  CHECK(describe(report).empty());
  report.samples = 16;
  report.outputs = {{"boxes", 31.25}, {"scores", 12.5}};
  report.noisy = {{"a", 14}, {"b", 20}};
  CHECK(describe(report) ==
        "signal-to-noise against f32 over 16 samples not used for calibration: 'boxes' 31.2 dB, 'scores' 12.5 dB");
  CHECK_THAT(warning_about(report, "--keep-f32 {}", ",", "--min-snr 20"),
             Contains("'scores' has a signal-to-noise ratio of 12.5 dB") && Contains("worst first: a, b;") &&
                 Contains("--keep-f32 a,b, or use --min-snr 20"));
  report.noisy.clear();
  CHECK_THAT(warning_about(report, "--keep-f32 {}", ",", ""), Contains("compile it in f32"));
  report.outputs[1].decibel = 20;
  CHECK(warning_about(report, "--keep-f32 {}", ",", "").empty());
}

}  // namespace
}  // namespace nestrt::compiler
