// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/classify.h"

#include <catch2/catch.hpp>
#include <limits>

#include "test/support/plan/plan_builder.h"

namespace nestrt::tools {
namespace {

TEST_CASE("The largest values come first, the first one on a tie, and NaN last") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{nan, 1, 3, 3, -2, nan};
  CHECK(largest(values, 2) == std::vector<size_t>{2, 3});
  CHECK(largest(values, 100) == std::vector<size_t>{2, 3, 1, 4, 0, 5});
  CHECK(largest({}, 5).empty());
}

TEST_CASE("Rows of class scores are distinguished from boxes, maps and sequences by their shape") {
  const auto rows = [](const Shape& shape, DataType type = DataType::kF32) { return class_rows({"y", type, shape}); };
  CHECK(rows({10}) == 1);
  CHECK(rows({1, 1000}) == 1);
  CHECK(rows({1, 1000, 1, 1}) == 1);
  CHECK(rows({1, 1, 1, 1001}) == 1);
  CHECK(rows({8, 1000}) == 8);
  CHECK(rows({1, 1}) == 0);
  CHECK(rows({1, 1600, 1}) == 0);
  CHECK(rows({1, 4420, 4}) == 0);
  CHECK(rows({1, 1, 320, 320}) == 0);
  CHECK(rows({0, 10}) == 0);
  CHECK(rows({}) == 0);
  CHECK(rows({1, 1000}, DataType::kS64) == 0);
}

TEST_CASE("A TopK result is sorted and therefore not a row of class scores") {
  nestrt::test::PlanBuilder builder;
  const int x = builder.input("x", {1, 10});
  const int places = builder.output("places", {1, 5}, DataType::kS64), values = builder.output("values", {1, 5});
  builder.op("top", ops::TopK{.axis = 1, .count = 5}, {x}, {places});
  builder.op("values", ops::GatherElements{.axis = 1}, {x, places}, {values});
  const nestrt::test::PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  INFO(plan.error().to_string());
  REQUIRE(plan);
  CHECK(class_rows((*plan)->outputs()[1]) == 1);
  CHECK(class_rows(**plan, 1) == 0);
}

TEST_CASE("Only values in [0, 1] with sum 1 are a distribution") {
  CHECK(is_distribution(std::vector<float>{0.25f, 0.75f}));
  CHECK_FALSE(is_distribution(std::vector<float>{0.25f, 0.5f}));
  CHECK_FALSE(is_distribution(std::vector<float>{-1, 2}));
  CHECK_FALSE(is_distribution(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 1}));
  CHECK_FALSE(is_distribution({}));
}

TEST_CASE("A hint about the background class appears if the labels seem to omit it") {
  CHECK_FALSE(remark_on_background(1001, 0, 999).empty());
  CHECK(remark_on_background(1001, 0, 1000).empty());
  CHECK(remark_on_background(1001, -1, 999).empty());
  CHECK(remark_on_background(1000, 0, 999).empty());
}

TEST_CASE("Accuracy at chance level causes a hint, except for few samples") {
  CHECK_FALSE(remark_on_guessing(0, 50, 1000).empty());
  CHECK_FALSE(remark_on_guessing(12, 120, 10).empty());
  CHECK(remark_on_guessing(13, 120, 10).empty());
  CHECK(remark_on_guessing(1, 50, 1000).empty());
  CHECK(remark_on_guessing(0, 9, 1000).empty());
  CHECK_FALSE(remark_on_guessing(0, 10, 2).empty());
}

}  // namespace
}  // namespace nestrt::tools
