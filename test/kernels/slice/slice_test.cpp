// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

ops::Slice slice(std::vector<int64_t> start, std::vector<int64_t> step, std::vector<int64_t> shape) {
  ops::Slice table;
  table.start = std::move(start);
  table.step = std::move(step);
  table.shape = std::move(shape);
  return table;
}

TEST_CASE("Slice reads a window with steps of either sign") {
  OperatorCase c(slice({1, 3}, {1, -2}, {1, 2}));
  c.input(tensor({2, 4}, std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8})).output(DataType::kS32, {1, 2});
  const auto inferred = c.infer();
  REQUIRE(inferred);
  CHECK(inferred->front().shape == Shape{1, 2});
  CHECK(reference(c)[0].values<int32_t>() == std::vector<int32_t>{8, 6});
}

TEST_CASE("Slice copies strided windows of any type") {
  std::mt19937 generator(1);
  for (DataType type : {DataType::kF32, DataType::kS8, DataType::kS64})
    for (const ops::Slice& table :
         {slice({0, 0, 0, 0}, {1, 1, 1, 1}, {2, 6, 40, 50}), slice({1, 2, 3, 4}, {1, 1, 1, 1}, {1, 3, 30, 46}),
          slice({0, 0, 1, 1}, {1, 1, 2, 2}, {2, 6, 20, 25}), slice({1, 5, 39, 49}, {-1, -2, -3, -1}, {2, 3, 13, 50}),
          slice({1, 5, 0, 7}, {-9, 1, 1, 1 << 30}, {1, 1, 40, 1}), slice({9, 0, 0, 0}, {1, 1, 1, 1}, {0, 6, 40, 50})}) {
      OperatorCase c(table);
      c.input(random_bytes(generator, type, {2, 6, 40, 50})).output(type, Shape(table.shape));
      CHECK(infer_error(c) == "");
      check_exact(c, reference(c)[0], "slice.copy");
    }
}

TEST_CASE("Errors of Slice name the attribute that exceeds the input") {
  const auto of_four = [](int64_t start, int64_t step, int64_t count) {
    OperatorCase c(slice({start}, {step}, {count}));
    c.input(tensor({4}, std::vector<float>(4)));
    return infer_error(c);
  };
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  CHECK(of_four(3, -1, 4) == "");
  CHECK_THAT(of_four(0, 0, 2), Catch::Contains("step of axis 0 is 0"));
  CHECK_THAT(of_four(0, 2, 3), Catch::Contains("start 0 with step 2"));
  CHECK_THAT(of_four(-1, 1, 1), Catch::Contains("start -1"));
  CHECK_THAT(of_four(1, kHuge, 2), Catch::Contains("start 1"));
  CHECK_THAT(of_four(1, -kHuge, 3), Catch::Contains("start 1"));
  CHECK_THAT(of_four(0, 1, -1), Catch::Contains("shape"));
  OperatorCase c(slice({0}, {1, 1}, {1}));
  c.input(tensor({4}, std::vector<float>(4)));
  CHECK_THAT(infer_error(c), Catch::Contains("start, step and shape"));
}

}  // namespace
}  // namespace nestrt::test
