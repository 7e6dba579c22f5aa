// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/detection.h"

#include <catch2/catch.hpp>

#include "tools/support/metrics/coco_file.h"

namespace nestrt::tools {
namespace {

constexpr double kTolerance = 1e-6;
const std::string kData = NESTRT_SOURCE_DIR "/test/tools/support/metrics/data/";

std::vector<DetectedBox> read_detections() {
  std::vector<DetectedBox> boxes;
  for (const Json& entry : read_json(kData + "detections.json")->objects("detections"))
    boxes.push_back({static_cast<int64_t>(*entry.number("image_id")),
                     static_cast<int64_t>(*entry.number("category_id")), *coco_box(entry), *entry.number("score")});
  return boxes;
}

void check_figure(const Json& expected, const char* name, double value) {
  INFO(name);
  CHECK(value == Approx(*expected.number(name)).margin(kTolerance).epsilon(0));
}

TEST_CASE("Average precision and recall equal those of pycocotools") {
  const auto data = read_coco_annotations(kData + "annotations.json");
  REQUIRE(data);
  const Json expected = *read_json(kData + "expected.json");
  const DetectionScore score = score_detections(data->boxes, read_detections(), data->categories);
  check_figure(expected, "ap", score.ap);
  check_figure(expected, "ap50", score.ap50);
  check_figure(expected, "ap75", score.ap75);
  check_figure(expected, "ap_small", score.ap_small);
  check_figure(expected, "ap_medium", score.ap_medium);
  check_figure(expected, "ap_large", score.ap_large);
  check_figure(expected, "ar1", score.ar1);
  check_figure(expected, "ar10", score.ar10);
  check_figure(expected, "ar100", score.ar100);
  check_figure(expected, "ar_small", score.ar_small);
  check_figure(expected, "ar_medium", score.ar_medium);
  check_figure(expected, "ar_large", score.ar_large);
  const std::vector<double> by_category = expected.numbers("ap_of_category");
  REQUIRE(score.ap_of_category.size() == by_category.size());
  for (size_t i = 0; i < by_category.size(); ++i)
    CHECK(score.ap_of_category[i] == Approx(by_category[i]).margin(kTolerance).epsilon(0));
}

TEST_CASE("Categories without objects have no precision") {
  const std::vector<AnnotatedBox> truth = {{.image = 1, .category = 1, .box = {0, 0, 10, 10}, .area = 100}};
  const std::vector<DetectedBox> found = {{.image = 1, .category = 1, .box = {0, 0, 10, 10}, .score = 0.5},
                                          {.image = 1, .category = 2, .box = {0, 0, 10, 10}, .score = 0.5}};
  const std::vector<int64_t> categories = {1, 2};
  const DetectionScore score = score_detections(truth, found, categories);
  CHECK(score.ap == Approx(1));
  CHECK(score.ap_small == Approx(1));
  CHECK(score.ap_large == -1);
  CHECK(score.ap_of_category[1] == -1);
  CHECK(score_detections({}, found, categories).ap == -1);
  CHECK(score_detections(truth, {}, categories).ap == 0);
}

}  // namespace
}  // namespace nestrt::tools
