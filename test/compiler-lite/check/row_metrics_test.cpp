// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/row_metrics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace nestrt::compiler {
namespace {

// Returns rows of probabilities with the given top classes.
std::vector<float> scores(const std::vector<int>& tops, int classes, bool has_logarithms = false) {
  std::vector<float> result;
  for (const int top : tops)
    for (int i = 0; i < classes; ++i) {
      const float probability = i == top ? 0.7F : 0.3F / static_cast<float>(classes - 1);
      result.push_back(has_logarithms ? std::log(probability) : probability);
    }
  return result;
}

RowMetrics rows(const std::vector<float>& actual, const std::vector<float>& expected, const Shape& shape,
                int64_t batch = 1) {
  return measure_rows(tensor_view(std::span(actual), shape), tensor_view(std::span(expected), shape), batch);
}

}  // namespace

TEST_CASE("Rows that sum to 1 along three axes are scores of steps, and their sequences are decoded") {
  for (const bool has_logarithms : {false, true}) {
    // The decoded sequences are 1 2 2 3 and 1 2 3.
    const auto expected = scores({0, 1, 1, 0, 2, 0, 2, 3}, 4, has_logarithms);
    const auto actual = scores({0, 1, 1, 0, 2, 2, 2, 3}, 4, has_logarithms);
    for (const Shape& shape : {Shape{1, 8, 4}, Shape{8, 1, 4}}) {
      const RowMetrics metrics = rows(actual, expected, shape);
      CHECK(metrics.are_scores);
      CHECK(!metrics.are_embeddings);
      CHECK(metrics.classes == 4);
      CHECK(metrics.edits == 1);
      CHECK(metrics.sequence_agreement() == 0.75);
    }
    CHECK(rows(expected, expected, {1, 8, 4}).sequence_agreement() == 1);
    CHECK(!rows(actual, expected, {8, 4}).are_scores);
  }
}

TEST_CASE("The blank is either the first or the last class") {
  const auto expected = scores({3, 0, 3, 0, 3, 3, 1}, 4);
  CHECK(rows(expected, expected, {1, 7, 4}).classes == 3);  // 0 0 1 remain; 3 is the blank
}

TEST_CASE("The batch size determines the axis of the sequences") {
  // Two sequences of three steps: 1 1 2 and 2 2 2 as [N, T, C], or 1 2 2 and 1 2 2 as [T, N, C].
  const auto expected = scores({1, 1, 2, 2, 2, 2}, 3);
  CHECK(rows(expected, expected, {2, 3, 3}, 2).classes == 1);  // the blank is class 2
  CHECK(rows(expected, expected, {3, 2, 3}, 2).classes == 2);
}

TEST_CASE("Rows of length 1 are embeddings and are compared by cosine") {
  std::vector<float> expected(16, 0.0F), actual(16, 0.0F);
  for (const size_t row : {0, 1}) {
    expected[8 * row] = -0.6F, expected[8 * row + 5] = 0.8F;
    actual[8 * row] = -0.6F, actual[8 * row + 5] = row == 0 ? 0.8F : 0.45F;
  }
  const RowMetrics metrics = rows(actual, expected, {2, 8});
  CHECK(metrics.are_embeddings);
  CHECK(!metrics.are_scores);
  CHECK(metrics.least_cosine == Approx(0.72 / 0.75).margin(1e-6));  // f32 elements
  CHECK(rows(expected, expected, {2, 8}).least_cosine == Approx(1).margin(1e-12));
  for (const float wrong : {std::nanf(""), INFINITY}) {
    std::vector<float> broken = expected;
    broken[3] = wrong;
    CHECK(rows(broken, expected, {2, 8}).least_cosine == 0);
  }
  CHECK(rows(std::vector<float>(16, 0.0F), expected, {2, 8}).least_cosine == 0);
}

TEST_CASE("Other numbers are neither scores nor embeddings") {
  const std::vector<float> numbers = {1, -2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7};
  CHECK(!rows(numbers, numbers, {1, 2, 8}).are_scores);
  CHECK(!rows(numbers, numbers, {2, 8}).are_embeddings);
  const std::vector<float> none;
  CHECK(!rows(none, none, {0, 4, 8}).are_scores);
}

TEST_CASE("Metrics of several runs add up, and rows are scores only if they are scores in every run") {
  RowMetrics sum = rows(scores({1, 2}, 3), scores({1, 2}, 3), {1, 2, 3});
  sum.add(rows(scores({1, 1}, 3), scores({1, 0}, 3), {1, 2, 3}));
  CHECK(sum.are_scores);
  CHECK(sum.edits == 0);
  sum.add(RowMetrics());
  CHECK(!sum.are_scores);
}

}  // namespace nestrt::compiler
