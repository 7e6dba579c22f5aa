// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

ops::Transpose transpose(std::vector<int32_t> permutation) {
  ops::Transpose table;
  table.permutation = std::move(permutation);
  return table;
}

TEST_CASE("Transpose exchanges rows and columns") {
  OperatorCase c(transpose({1, 0}));
  c.input(tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})).output(DataType::kF32, {3, 2});
  const auto inferred = c.infer();
  REQUIRE(inferred);
  CHECK(inferred->front().shape == Shape{3, 2});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
}

void check_permutation(std::mt19937& generator, DataType type, const Shape& shape,
                       const std::vector<int32_t>& permutation) {
  OperatorCase c(transpose(permutation));
  Shape output;
  for (int32_t axis : permutation) output.push_back(shape[axis]);
  c.input(random_bytes(generator, type, shape)).output(type, output);
  check_exact(c, reference(c)[0], "transpose.copy");
}

TEST_CASE("Transpose copies every permutation of four axes") {
  std::mt19937 generator(1);
  std::vector<int32_t> permutation{0, 1, 2, 3};
  do {
    check_permutation(generator, DataType::kF32, {2, 3, 5, 7}, permutation);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
}

TEST_CASE("Transpose supports any type and partial tiles") {
  std::mt19937 generator(2);
  for (DataType type : {DataType::kF32, DataType::kU8, DataType::kS64})
    for (const Shape& shape : {Shape{2, 16, 16}, Shape{1, 37, 19}, Shape{2, 70, 200}, Shape{1, 3, 500}, Shape{3, 1, 9},
                               Shape{2, 500, 3}, Shape{1, 2, 131}, Shape{1, 131, 2}, Shape{3, 4, 67}, Shape{1, 67, 4}})
      check_permutation(generator, type, shape, {0, 2, 1});
  check_permutation(generator, DataType::kF32, {2, 1, 2, 1, 3, 2, 2, 2}, {7, 6, 5, 4, 3, 2, 1, 0});
}

TEST_CASE("Transpose rejects invalid permutations") {
  for (const std::vector<int32_t>& permutation : {std::vector<int32_t>{0}, {0, 0}, {0, 2}, {-1, 0}, {0, 33}}) {
    OperatorCase c(transpose(permutation));
    c.input(tensor({2, 2}, std::vector<float>(4)));
    CHECK_THAT(infer_error(c), Catch::Contains("permutation"));
  }
}

}  // namespace
}  // namespace nestrt::test
