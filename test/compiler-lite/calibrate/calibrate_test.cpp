// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/calibrate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <limits>

#include "compiler-lite/graph/interpreter.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/shared_data.h"

using namespace nestrt;
using namespace nestrt::compiler;
using test::ModelBuilder;

namespace {

using Catch::Matchers::Contains;

// A model and calibration arrays as files.
struct Files {
  test::TemporaryFolder folder;

  std::string model(const ModelBuilder& builder) const { return folder.write_text("model.onnx", builder.bytes()); }
  std::string array(const Shape& shape, const std::vector<float>& elements) const {
    std::string path = folder.path() + "/array.npy";
    REQUIRE(tools::write_npy(path, {DataType::kF32, shape, elements.data()}).ok());
    return path;
  }
};

CalibrationOptions over_array(const std::string& npy) {
  CalibrationOptions options;
  options.samples.npy = npy;
  return options;
}

// Returns sum = Relu(Conv(x)) + x over 18 channels, so that the last block of a blocked layout contains two channels.
ModelBuilder residual_model() {
  ModelBuilder builder;
  std::vector<float> weights(18 * 18);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = i % 19 == 0 ? -2.0f : 0.0f;  // -2 * x
  builder.input("x", {1, 18, 4, 4}).constant("w", {18, 18, 1, 1}, weights).output("sum");
  builder.node("Conv", {"x", "w"}, {"conv"});
  builder.node("Relu", {"conv"}, {"relu"});
  builder.node("Add", {"relu", "x"}, {"sum"});
  return builder;
}

}  // namespace

TEST_CASE("Calibration observes every value, including those that fusion would hide") {
  const Files files;
  std::vector<float> elements(2 * 18 * 16, 0.5f);
  elements[0] = -3;
  elements[18 * 16 + 17 * 16] = 10;  // in the last channel of the second sample
  const auto result = calibrate(files.model(residual_model()), over_array(files.array({2, 18, 4, 4}, elements)));
  INFO(result.error().to_string());
  REQUIRE(result);
  const QuantizationProfile& profile = result->profile;
  CHECK(profile.samples == 2);
  CHECK(profile.model_digest == *model_digest(files.folder.path() + "/model.onnx"));
  REQUIRE(profile.values.size() == 4);
  const auto require_range = [&](const char* name, float min, float max) {
    INFO(name);
    const ValueProfile* value = profile.find(name);
    REQUIRE(value != nullptr);
    CHECK(value->min == min);
    CHECK(value->max == max);
    CHECK(value->elements == 2 * 18 * 16);
    CHECK(value->exponent == mse_exponent(*value));
  };
  require_range("x", -3, 10);
  require_range("conv", -20, 6);
  require_range("relu", 0, 6);
  require_range("sum", 0.5f, 10);
  CHECK(profile.find("relu")->zeros == 2 * 18 * 16 - 1);
}

TEST_CASE("Calibration observes channel means and peaks, also in blocked layouts") {
  const Files files;
  std::vector<float> elements(2 * 18 * 16, 0.5f);
  elements[0] = -3;
  elements[18 * 16 + 17 * 16] = 10;
  const auto result = calibrate(files.model(residual_model()), over_array(files.array({2, 18, 4, 4}, elements)));
  REQUIRE(result);
  const std::vector<float>& x = result->profile.find("x")->means;
  const std::vector<float>& conv = result->profile.find("conv")->means;
  REQUIRE(x.size() == 18);
  REQUIRE(conv.size() == 18);
  for (size_t c = 0; c < 18; ++c) {
    const float mean = c == 0 ? (31 * 0.5f - 3) / 32 : c == 17 ? (31 * 0.5f + 10) / 32 : 0.5f;
    CHECK(x[c] == mean);
    CHECK(conv[c] == -2 * mean);
  }
  const std::vector<float>& peaks = result->profile.find("conv")->peaks;
  REQUIRE(peaks.size() == 18);
  CHECK(peaks[0] == 6);
  CHECK(peaks[1] == 1);
  CHECK(peaks[17] == 20);
}

TEST_CASE("Scalars are observed like other values, and an unnamed initializer belongs to no value") {
  ModelBuilder builder;
  builder.input("x", {1, 2, 2, 2}).constant("w", {2, 2, 1, 1}, {1, 0, 0, 2}).constant("half", {}, {0.5f}).output("y");
  builder.constant("", {}, {3.0f});
  builder.node("Conv", {"x", "w", ""}, {"conv"});
  test::set_attribute(builder.node("ReduceMax", {"conv"}, {"peak"}), "keepdims", int64_t{0});
  builder.node("Mul", {"peak", "half"}, {"scale"});
  builder.node("Add", {"conv", "scale"}, {"y"});
  const Files files;
  const std::string model = files.model(builder), array = files.array({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto result = calibrate(model, over_array(array));
  INFO(result.error().to_string());
  REQUIRE(result);
  for (const auto& [name, expected] : {std::pair("peak", 16.0f), std::pair("scale", 8.0f)}) {
    const ValueProfile* scalar = result->profile.find(name);
    REQUIRE(scalar != nullptr);
    CHECK(scalar->max == expected);
    CHECK(scalar->elements == 1);
    CHECK(scalar->means.empty());
  }
}

TEST_CASE("Calibration uses the caller's method and sample limit") {
  const Files files;
  CalibrationOptions options = over_array(files.array({4, 18, 4, 4}, std::vector<float>(4 * 18 * 16, 1.0f)));
  options.method = CalibrationMethod::kMinMax;
  options.samples.limit = 3;
  size_t calls = 0, last = 0;
  options.progress = [&](size_t done, size_t total) {
    ++calls, last = done;
    CHECK(total == 3);
  };
  const auto result = calibrate(files.model(residual_model()), options);
  REQUIRE(result);
  CHECK(calls == 4);
  CHECK(last == 3);
  CHECK(result->profile.samples == 3);
  CHECK(result->profile.method == CalibrationMethod::kMinMax);
  CHECK(result->profile.find("x")->exponent == 6);
}

TEST_CASE("A NaN is reported with the names of the value and the sample") {
  const Files files;
  ModelBuilder builder;
  builder.input("x", {1, 4}).output("y");
  builder.node("Sqrt", {"x"}, {"root"});
  builder.node("Exp", {"root"}, {"y"});
  const auto result = calibrate(files.model(builder), over_array(files.array({2, 4}, {1, 2, 3, 4, 1, -2, 3, 4})));
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == Code::kInvalidArgument);
  CHECK_THAT(result.error().to_string(), Contains("'root'") && Contains("array.npy[1]") && Contains("nan"));
}

TEST_CASE("A mask of minus infinity is not quantized and does not stop calibration") {
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  const Files files;
  ModelBuilder builder;
  builder.input("x", {1, 2}).constant("w", {2, 2}, {1, 2, 3, 4}).output("y");
  builder.constant("zero", {}, {0.0f}).constant("masked", {}, {kMasked});
  builder.node("MatMul", {"x", "w"}, {"scores"});
  builder.node("Greater", {"x", "zero"}, {"allowed"});
  builder.node("Where", {"allowed", "zero", "masked"}, {"mask"});
  builder.node("Add", {"mask", "scores"}, {"masked_scores"});
  builder.node("Softmax", {"masked_scores"}, {"probabilities"});
  builder.node("MatMul", {"probabilities", "w"}, {"y"});
  const auto result = calibrate(files.model(builder), over_array(files.array({1, 2}, {1, -2})));
  INFO(result.error().to_string());
  REQUIRE(result);
  CHECK(result->profile.find("mask") == nullptr);
  CHECK(result->profile.find("masked_scores") == nullptr);
  REQUIRE(result->profile.find("scores") != nullptr);
  CHECK(result->profile.find("scores")->min == -6);
  CHECK(result->profile.find("probabilities")->max == 1);
}

TEST_CASE("The input of a Softmax is observed if it cannot have been masked") {
  const Files files;
  ModelBuilder builder;
  builder.input("x", {1, 2, 2, 2}).output("y");
  builder.node("GlobalAveragePool", {"x"}, {"means"});
  builder.node("Softmax", {"means"}, {"y"});
  const auto result = calibrate(files.model(builder), over_array(files.array({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})));
  REQUIRE(result);
  REQUIRE(result->profile.find("means") != nullptr);
  CHECK(result->profile.find("means")->max == 6.5f);
  CHECK(result->profile.find("x") != nullptr);
}

TEST_CASE("Minus infinity that reaches an operator other than Softmax stops calibration") {
  const Files files;
  ModelBuilder builder;
  builder.input("x", {1, 2}).output("logarithm").output("probabilities");
  builder.node("Log", {"x"}, {"logarithm"});
  builder.node("Softmax", {"logarithm"}, {"probabilities"});
  const auto result = calibrate(files.model(builder), over_array(files.array({1, 2}, {1, 0})));
  CHECK_THAT(result.error().to_string(), Contains("'logarithm'") && Contains("-inf"));
}

TEST_CASE("Constant activations have exponents") {
  const Files files;
  ModelBuilder builder;
  builder.input("x", {1, 4}).output("y");
  builder.node("Relu", {"x"}, {"zero"});
  builder.node("Exp", {"zero"}, {"y"});
  const auto result = calibrate(files.model(builder), over_array(files.array({1, 4}, {-1, -2, -3, -4})));
  REQUIRE(result);
  CHECK(result->profile.find("zero")->exponent == kExponentOfZero);
  CHECK(result->profile.find("y")->min == 1);
  CHECK(result->profile.find("y")->max == 1);
}

TEST_CASE("Models with several inputs are rejected") {
  const Files files;
  ModelBuilder builder;
  builder.input("a", {1, 4}).input("b", {1, 4}).output("y");
  builder.node("Add", {"a", "b"}, {"y"});
  const auto result = calibrate(files.model(builder), over_array(files.array({1, 4}, {1, 2, 3, 4})));
  CHECK(result.error().code() == Code::kUnsupported);
  CHECK_THAT(result.error().to_string(), Contains("has 2 inputs"));
}

TEST_CASE("Unreadable images are fatal or skipped") {
  const Files files;
  ModelBuilder builder;
  builder.input("image", {1, 3, 32, 32}).output("y");
  builder.node("Relu", {"image"}, {"y"});
  const auto images = std::filesystem::path(files.folder.path()) / "images";
  std::filesystem::create_directory(images);
  files.folder.write_text("images/broken.png", "no image");
  const std::string model = files.model(builder);
  CalibrationOptions options;
  options.samples.images = images.string();
  CHECK_THAT(calibrate(model, options).error().to_string(), Contains("broken.png") && Contains("--skip-unreadable"));
  options.samples.skip_unreadable = true;
  CHECK_THAT(calibrate(model, options).error().to_string(), Contains("none of the 1") && Contains("broken.png"));
  std::filesystem::copy_file(std::filesystem::path(NESTRT_SOURCE_DIR) / "examples/images/cat.png", images / "cat.png");
  const auto result = calibrate(model, options);
  REQUIRE(result);
  CHECK(result->profile.samples == 1);
  REQUIRE(result->skipped.size() == 1);
  CHECK_THAT(result->skipped[0], Contains("broken.png"));
}

TEST_CASE("A profile covers the values of the fused network") {
  const auto model = test::shared_data("models/resnet20.onnx");
  if (!model) return;
  const auto graph = optimised_graph(*model, {});
  REQUIRE(graph);
  const Shape input = graph->value(graph->inputs[0].value).shape;
  const Files files;
  std::vector<float> elements(static_cast<size_t>(input.num_elements()));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = std::sin(static_cast<float>(i));
  const auto result = calibrate(*model, over_array(files.array(input, elements)));
  INFO(result.error().to_string());
  REQUIRE(result);
  for (const auto& node : graph->nodes()) {
    for (const ValueId id : node->outputs) {
      INFO(graph->value(id).name);
      CHECK((graph->value(id).type != DataType::kF32 || result->profile.find(graph->value(id).name) != nullptr));
    }
  }
}
