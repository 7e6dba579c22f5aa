// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/decode_boxes.h"

#include <catch2/catch.hpp>
#include <limits>

namespace nestrt::tools {
namespace {

TensorInfo info(const Shape& shape) {
  TensorInfo result;
  result.type = DataType::kF32;
  result.shape = shape;
  return result;
}

void check_box(const FoundBox& found, size_t label, double score, const Box& box) {
  CHECK(found.label == label);
  CHECK(found.score == Approx(score));
  CHECK(found.box.x == Approx(box.x));
  CHECK(found.box.y == Approx(box.y));
  CHECK(found.box.width == Approx(box.width));
  CHECK(found.box.height == Approx(box.height));
}

std::vector<FoundBox> decode(BoxForm form, std::vector<float>& values, const Shape& shape, size_t row = 0) {
  const TensorView view{DataType::kF32, shape, values.data()};
  return decode_boxes(form, {&view, 1}, row, 100, 50, {});
}

TEST_CASE("The form of boxes is derived from the output shapes or given by name") {
  const auto form = [](const std::string& name, const std::vector<Shape>& shapes) {
    std::vector<TensorInfo> outputs;
    for (const Shape& shape : shapes) outputs.push_back(info(shape));
    return box_form(name, outputs);
  };
  CHECK(*form("auto", {{1, 300, 6}}) == BoxForm::kRows);
  CHECK(*form("auto", {{8, 84, 8400}}) == BoxForm::kYolo);
  CHECK(*form("auto", {{1, 8400, 84}}) == BoxForm::kYolo);
  CHECK(*form("yolo_objectness", {{1, 25200, 85}}) == BoxForm::kYoloObjectness);
  CHECK(*form("auto", {{1, 10, 4}, {1, 10}, {1, 10}, {1}}) == BoxForm::kSsd);
  CHECK_THAT(std::string(form("auto", {{1, 1000}}).error().message()), Catch::Contains("f32 1x1000"));
  CHECK_FALSE(form("ssd", {{1, 300, 6}}));
}

TEST_CASE("Each row is a box, unused rows are skipped, and the best box comes first") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values = {0, 0, 1, 1, 0.2F, 3,  10,  20, 30, 50, 0.9F, 1,   // image 0
                               0, 0, 1, 1, 0.5F, -1, nan, 0,  1,  1,  0.5F, 0};  // image 1
  const auto boxes = decode(BoxForm::kRows, values, {2, 2, 6});
  REQUIRE(boxes.size() == 2);
  check_box(boxes[0], 1, 0.9, {10, 20, 20, 30});
  check_box(boxes[1], 3, 0.2, {0, 0, 1, 1});
  CHECK(decode(BoxForm::kRows, values, {2, 2, 6}, 1).empty());
}

TEST_CASE("Overlapping boxes of one class are suppressed, in both orders of YOLO's table") {
  // Three boxes with two classes; the second overlaps the first.
  std::vector<float> columns_last = {10, 10, 4, 4, 0.9F, 0, 10, 10, 4, 3.8F, 0.8F, 0.3F, 30, 30, 2, 2, 0, 0.7F};
  std::vector<float> columns_first;
  for (size_t column = 0; column < 6; ++column)
    for (size_t box = 0; box < 3; ++box) columns_first.push_back(columns_last[box * 6 + column]);
  for (size_t i = 0; i < 4; ++i) {  // unused boxes, so that there are more boxes than columns
    for (size_t column = 6; column > 0; --column)
      columns_first.insert(columns_first.begin() + static_cast<ptrdiff_t>(column * (3 + i)), 0);
    columns_last.insert(columns_last.end(), 6, 0);
  }
  for (const auto& boxes :
       {decode(BoxForm::kYolo, columns_last, {1, 7, 6}), decode(BoxForm::kYolo, columns_first, {1, 6, 7})}) {
    REQUIRE(boxes.size() == 3);
    check_box(boxes[0], 0, 0.9, {8, 8, 4, 4});
    check_box(boxes[1], 1, 0.7, {29, 29, 2, 2});
    check_box(boxes[2], 1, 0.3, {8, 8.1, 4, 3.8});
  }
}

TEST_CASE("Objectness multiplies the scores of classes") {
  std::vector<float> values = {10, 10, 4, 4, 0.5F, 0.8F, 0};
  const auto boxes = decode(BoxForm::kYoloObjectness, values, {1, 1, 7});
  REQUIRE(boxes.size() == 1);
  check_box(boxes[0], 0, 0.4, {8, 8, 4, 4});
}

TEST_CASE("SSD's boxes are fractions of the input") {
  std::vector<float> corners = {0.2F, 0.1F, 0.6F, 0.3F, 0, 0, 1, 1}, labels = {2, 0}, scores = {0.5F, 0.9F},
                     count = {1};
  const TensorView views[] = {{DataType::kF32, {1, 2, 4}, corners.data()},
                              {DataType::kF32, {1, 2}, labels.data()},
                              {DataType::kF32, {1, 2}, scores.data()},
                              {DataType::kF32, {1}, count.data()}};
  const auto boxes = decode_boxes(BoxForm::kSsd, views, 0, 100, 50, {});
  REQUIRE(boxes.size() == 1);
  check_box(boxes[0], 2, 0.5, {10, 10, 20, 20});
}

}  // namespace
}  // namespace nestrt::tools
