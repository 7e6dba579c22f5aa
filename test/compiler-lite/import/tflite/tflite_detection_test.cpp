// SPDX-License-Identifier: Apache-2.0
// Tests the import of SSD post-processing and of SVDF against results of LiteRT.
#include <flatbuffers/flexbuffers.h>
#include <catch2/catch.hpp>

#include <cmath>

#include "test/compiler-lite/import/tflite/lite_models.h"
#include "test/compiler-lite/import/tflite/run_graph.h"

namespace nestrt::test {
namespace {

using compiler::Graph;

void check_approx(const std::vector<float>& actual, const std::vector<float>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(1e-6));
}

struct DetectionModel {
  int detections = 3, classes = 2, max_classes = 1;
  bool is_regular = false;
  float score_threshold = 0.5f;

  std::vector<uint8_t> options() const {
    flexbuffers::Builder builder;
    builder.Map([&] {
      builder.Int("max_detections", detections);
      builder.Int("max_classes_per_detection", max_classes);
      builder.Int("detections_per_class", 2);
      builder.Int("num_classes", classes);
      builder.Bool("use_regular_nms", is_regular);
      builder.Float("nms_score_threshold", score_threshold);
      builder.Float("nms_iou_threshold", 0.5f);
      builder.Float("y_scale", 10);
      builder.Float("x_scale", 10);
      builder.Float("h_scale", 5);
      builder.Float("w_scale", 5);
    });
    builder.Finish();
    return builder.GetBuffer();
  }

  // Four anchors of size 2 x 2, the first two at the same position.
  LiteWriter model() const { return model_with(options()); }
  LiteWriter model_with(std::vector<uint8_t> stated) const {
    LiteWriter model;
    const int32_t boxes = model.input("boxes", {1, 4, 4}), scores = model.input("scores", {1, 4, 3});
    const int32_t anchors = model.floats("anchors", {4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 5, 5, 2, 2, 9, 9, 2, 2});
    std::vector<int32_t> outputs;
    for (const char* name : {"found", "classes", "values", "count"}) outputs.push_back(model.tensor(name, {}));
    model.add_custom("TFLite_Detection_PostProcess", {boxes, scores, anchors}, outputs, std::move(stated));
    for (const int32_t output : outputs) model.output(output);
    return model;
  }
};

// The second box is moved by 0.1 and 0.2, and its height is doubled. The scores belong to the background and two
// classes.
const std::vector<float> kBoxes{0, 0, 0, 0, 0.5f, 1, 5 * 0.6931472f, 0, 0, 0, 0, 0, 0, 0, 0, 0};
const std::vector<float> kScores{0.9f, 0.8f, 0.1f, 0, 0.6f, 0.7f, 0, 0.1f, 0.5f, 1, 0.4f, 0.2f};

TEST_CASE("SSD post-processing suppresses overlapping boxes and fills up with zeros") {
  const auto results = run_floats(optimised(DetectionModel{.score_threshold = 0.5f}.model()), {kBoxes, kScores});
  // Boxes 0 and 1 overlap by less than half: 3.6 of 8.4.
  check_approx(results.at(0), {0, 0, 2, 2, -0.9f, 0.2f, 3.1f, 2.2f, 4, 4, 6, 6});
  check_approx(results.at(1), {0, 1, 1});
  check_approx(results.at(2), {0.8f, 0.7f, 0.5f});
  check_approx(results.at(3), {3});
}

TEST_CASE("SSD post-processing drops boxes below the threshold and overlaps of any class") {
  std::vector<float> same = kBoxes;
  std::fill(same.begin() + 4, same.begin() + 8, 0.0f);
  const auto results = run_floats(optimised(DetectionModel{.score_threshold = 0.6f}.model()), {same, kScores});
  check_approx(results.at(0), {0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0});
  check_approx(results.at(2), {0.8f, 0, 0});
  check_approx(results.at(3), {1});
}

TEST_CASE("Regular suppression keeps overlapping boxes of different classes and the best of all classes") {
  std::vector<float> same = kBoxes;
  std::fill(same.begin() + 4, same.begin() + 8, 0.0f);
  const DetectionModel detection{.is_regular = true, .score_threshold = 0.5f};
  const auto results = run_floats(optimised(detection.model()), {same, kScores});
  check_approx(results.at(0), {0, 0, 2, 2, 0, 0, 2, 2, 4, 4, 6, 6});
  check_approx(results.at(1), {0, 1, 1});
  check_approx(results.at(2), {0.8f, 0.7f, 0.5f});
  check_approx(results.at(3), {3});
  const DetectionModel many{.detections = 9, .is_regular = true, .score_threshold = 0.5f};
  CHECK(run_floats(optimised(many.model()), {same, kScores}).at(2).size() == 9);
}

TEST_CASE("SSD post-processing rejects damaged options and shapes that do not match") {
  const DetectionModel detection;
  std::vector<uint8_t> damaged = detection.options();
  for (size_t size = 0; size < damaged.size(); ++size) {
    std::vector<uint8_t> cut(damaged.begin(), damaged.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK(!detection.model_with(cut).import());
  }
  for (const DetectionModel& wrong :
       {DetectionModel{.detections = 0}, DetectionModel{.classes = 7}, DetectionModel{.max_classes = 2}})
    CHECK(!wrong.model().import());
}

LiteWriter svdf_model(int rank) {
  LiteWriter model;
  const auto options = [=](flatbuffers::FlatBufferBuilder& builder) {
    return tflite::CreateSvdfOptions(builder, rank, tflite::FusedActivation::RELU).Union();
  };
  const int32_t x = model.input("x", {1, 2});
  const int32_t feature = model.floats("feature", {2, 2}, {1, 0, 0, -1});
  const int32_t time = model.floats("time", {2, 3}, {1, 10, 100, 2, 20, 200});
  const int32_t bias = model.floats("bias", {2 / rank}, rank == 2 ? std::vector<float>{5} : std::vector<float>{5, -7});
  const int32_t state = model.variable("state", {1, 6});
  const int32_t y = model.tensor("y", {1, 2 / rank});
  constexpr uint8_t kSvdf = 6;
  model.add(LiteOp::SVDF, {x, feature, time, bias, state}, {y}, kSvdf, options).output(y);
  return model;
}

TEST_CASE("An SVDF computes a weighted sum of the latest results of its filters, which are in its state") {
  const Graph graph = optimised(svdf_model(1));
  CHECK(graph.value(graph.inputs.at(1).value).name == "state");
  CHECK(graph.value(graph.outputs[1]).name == "state.next");
  const auto results = run_floats(graph, {{3, -4}, {9, 1, 2, 9, 5, 6}});
  CHECK(results.at(1) == std::vector<float>{1, 2, 3, 5, 6, 4});
  CHECK(results.at(0) == std::vector<float>{1 + 20 + 300 + 5, 10 + 120 + 800 - 7});
  CHECK(run_floats(graph, {{-30, 4}, results.at(1)}).at(0) == std::vector<float>{0, 0});
}

TEST_CASE("The filters of an SVDF of rank 2 are added in pairs") {
  const auto results = run_floats(optimised(svdf_model(2)), {{3, -4}, {9, 1, 2, 9, 5, 6}});
  CHECK(results.at(0) == std::vector<float>{1 + 20 + 300 + 10 + 120 + 800 + 5});
  CHECK(!svdf_model(3).import());
}

}  // namespace
}  // namespace nestrt::test
