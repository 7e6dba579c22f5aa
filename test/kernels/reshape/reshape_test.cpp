// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

ops::Reshape reshape(std::vector<int64_t> shape) {
  ops::Reshape table;
  table.shape = std::move(shape);
  return table;
}

TEST_CASE("Reshape keeps the elements in order") {
  OperatorCase c(reshape({3, 2}));
  c.input(tensor({2, 3}, std::vector<int64_t>{1, 2, 3, 4, 5, 6})).output(DataType::kS64, {3, 2});
  const auto inferred = c.infer();
  REQUIRE(inferred);
  CHECK(inferred->front().shape == Shape{3, 2});
  CHECK(inferred->front().type == DataType::kS64);
  CHECK(reference(c)[0].values<int64_t>() == std::vector<int64_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("Reshape of an empty tensor is empty") {
  OperatorCase c(reshape({0, 7}));
  c.input(tensor({2, 0}, std::vector<float>{})).output(DataType::kF32, {0, 7});
  REQUIRE(c.infer());
  CHECK(reference(c)[0].bytes.empty());
}

TEST_CASE("Errors of Reshape name the invalid attribute") {
  const auto infer_error = [](std::vector<int64_t> shape) {
    OperatorCase c(reshape(std::move(shape)));
    c.input(tensor({2, 3}, std::vector<float>(6)));
    return std::string(c.infer().error().message());
  };
  CHECK_THAT(infer_error({4, 2}), Catch::Contains("shape 4x2") && Catch::Contains("2x3"));
  CHECK_THAT(infer_error({-1, 6}), Catch::Contains("shape") && Catch::Contains("negative"));
  CHECK_THAT(infer_error({int64_t{1} << 40, int64_t{1} << 40}), Catch::Contains("shape") && Catch::Contains("2^40"));
  CHECK_THAT(infer_error(std::vector<int64_t>(9, 1)), Catch::Contains("shape") && Catch::Contains("9 dimensions"));
}

}  // namespace
}  // namespace nestrt::test
