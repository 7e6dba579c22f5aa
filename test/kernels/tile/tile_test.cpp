// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

ops::Tile tile(std::vector<int64_t> shape) {
  ops::Tile table;
  table.shape = std::move(shape);
  return table;
}

TEST_CASE("Tile repeats the input along each axis") {
  OperatorCase c(tile({2, 4}));
  c.input(tensor({1, 2}, std::vector<float>{1, 2})).output(DataType::kF32, {2, 4});
  CHECK(infer_error(c) == "");
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1, 2, 1, 2, 1, 2, 1, 2});
}

TEST_CASE("Tile stretches and adds axes") {
  OperatorCase c(tile({2, 2, 3}));
  c.input(tensor({2, 1}, std::vector<int64_t>{1, 2})).output(DataType::kS64, {2, 2, 3});
  CHECK(infer_error(c) == "");
  CHECK(reference(c)[0].values<int64_t>() == std::vector<int64_t>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("Tile copies repeats of any type") {
  std::mt19937 generator(1);
  for (DataType type : {DataType::kF32, DataType::kS8, DataType::kS64})
    for (const auto& [from, to] : {std::pair<Shape, std::vector<int64_t>>{{3, 5}, {3, 5}},
                                   {{3, 5}, {6, 20}},
                                   {{1, 7, 1}, {4, 7, 100}},
                                   {{}, {3, 4}},
                                   {{2, 1, 2, 1, 2, 1, 2, 1}, {4, 3, 2, 3, 2, 1, 4, 2}},
                                   {{64, 1, 50}, {64, 40, 50}},
                                   {{2, 3}, {2, 0}}}) {
      OperatorCase c(tile(to));
      c.input(random_bytes(generator, type, from)).output(type, Shape(to));
      CHECK(infer_error(c) == "");
      check_exact(c, reference(c)[0], "tile.copy");
    }
}

TEST_CASE("Tile rejects a shape that is not a whole number of repeats") {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2, 4}, {3}, {-2, 3}, {1, 3}}) {
    OperatorCase c(tile(shape));
    c.input(tensor({2, 3}, std::vector<float>(6)));
    CHECK_THAT(infer_error(c), Catch::Contains("shape"));
  }
}

}  // namespace
}  // namespace nestrt::test
