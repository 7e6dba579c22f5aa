// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <limits>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

// Returns three boxes. The second overlaps the first by 0.6; the third is separate.
TestTensor boxes() { return tensor({1, 3, 4}, std::vector<float>{0, 0, 8, 4, 0, 0, 8, 5, 20, 20, 30, 30}); }

std::vector<int64_t> chosen(ops::NonMaxSuppression op, const TestTensor& of_boxes, const TestTensor& scores,
                            int64_t rows) {
  OperatorCase c(op);
  c.input(of_boxes).input(scores).output(DataType::kS64, {rows, 3});
  return reference(c)[0].values<int64_t>();
}

TEST_CASE("NonMaxSuppression keeps the best of overlapping boxes and marks the end") {
  const TestTensor scores = tensor({1, 1, 3}, std::vector<float>{0.8f, 0.9f, 0.1f});
  CHECK(chosen({.count = 3, .iou_threshold = 0.5f}, boxes(), scores, 3) ==
        std::vector<int64_t>{0, 0, 1, 0, 0, 2, -1, -1, -1});
  CHECK(chosen({.count = 3, .iou_threshold = 0.9f}, boxes(), scores, 3) ==
        std::vector<int64_t>{0, 0, 1, 0, 0, 0, 0, 0, 2});
  CHECK(chosen({.count = 1, .iou_threshold = 0.9f}, boxes(), scores, 1) == std::vector<int64_t>{0, 0, 1});
  CHECK(chosen({.count = 9, .iou_threshold = 0.5f, .score_threshold = 0.5f, .scored = true}, boxes(), scores, 3) ==
        std::vector<int64_t>{0, 0, 1, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("NonMaxSuppression accepts boxes as corners in any order or as centres") {
  const TestTensor scores = tensor({1, 1, 2}, std::vector<float>{0.8f, 0.9f});
  const std::vector<int64_t> one = {0, 0, 1, -1, -1, -1};
  CHECK(chosen({.count = 2, .iou_threshold = 0.5f}, tensor({1, 2, 4}, std::vector<float>{8, 4, 0, 0, 0, 0, 8, 5}),
               scores, 2) == one);
  CHECK(chosen({.count = 2, .iou_threshold = 0.5f, .centered = true},
               tensor({1, 2, 4}, std::vector<float>{2, 4, 4, 8, 2.5f, 4, 5, 8}), scores, 2) == one);
}

TEST_CASE("NonMaxSuppression orders by class and keeps the order of equal scores") {
  const TestTensor scores = tensor({1, 2, 3}, std::vector<float>{0.5f, 0.5f, 0.5f, 0, 0, 1});
  CHECK(chosen({.count = 2, .iou_threshold = 0.5f}, boxes(), scores, 4) ==
        std::vector<int64_t>{0, 0, 0, 0, 0, 2, 0, 1, 2, 0, 1, 0});
}

TEST_CASE("NonMaxSuppression ignores NaN scores") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  CHECK(chosen({.count = 3}, boxes(), tensor({1, 1, 3}, std::vector<float>{kNan, kNan, 1}), 3) ==
        std::vector<int64_t>{0, 0, 2, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("NonMaxSuppression reports the operand that does not fit") {
  OperatorCase c(ops::NonMaxSuppression{.count = 1});
  c.input(shape_only({1, 3, 4})).input(shape_only({1, 1, 4}));
  CHECK_THAT(infer_error(c), Catch::Contains("boxes of shape"));
  OperatorCase negative(ops::NonMaxSuppression{.count = -1});
  negative.input(shape_only({1, 3, 4})).input(shape_only({1, 1, 3}));
  CHECK_THAT(infer_error(negative), Catch::Contains("count -1"));
}

}  // namespace
}  // namespace nestrt::test
