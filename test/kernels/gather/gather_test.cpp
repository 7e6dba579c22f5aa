// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

ops::Gather gather(int32_t axis) {
  ops::Gather table;
  table.axis = axis;
  return table;
}

const std::vector<float> kTwelve{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST_CASE("Gather selects slices along an axis") {
  OperatorCase c(gather(1));
  c.input(tensor({2, 3, 2}, kTwelve)).input(tensor({1, 2}, std::vector<int64_t>{2, -3}));
  c.output(DataType::kF32, {2, 1, 2, 2});
  const auto inferred = c.infer();
  REQUIRE(inferred);
  CHECK(inferred->front().shape == Shape{2, 1, 2, 2});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{4, 5, 0, 1, 10, 11, 6, 7});
}

TEST_CASE("Gather of a scalar index drops the axis") {
  OperatorCase c(gather(0));
  c.input(tensor({3}, std::vector<int64_t>{7, 8, 9})).input(tensor({}, std::vector<int32_t>{1}));
  c.output(DataType::kS64, {});
  CHECK(infer_error(c) == "");
  CHECK(reference(c)[0].values<int64_t>() == std::vector<int64_t>{8});
}

TEST_CASE("Gather clamps indices outside the axis") {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  OperatorCase c(gather(0));
  c.input(tensor({3}, std::vector<float>{1, 2, 3}));
  c.input(tensor({4}, std::vector<int64_t>{3, -4, kLowest, std::numeric_limits<int64_t>::max()}));
  c.output(DataType::kF32, {4});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{3, 1, 1, 3});
}

TEST_CASE("Gather of rows equals the reference for slices of any size") {
  std::mt19937 generator(44);
  for (const Shape& data : {Shape{40}, Shape{3, 9}, Shape{9, 3}, Shape{2, 5, 4}, Shape{6, 16}, Shape{2, 3, 0}})
    for (DataType type : {DataType::kF32, DataType::kS8, DataType::kS64})
      for (int axis = 0; axis < data.rank(); ++axis)
        for (const Shape& picks : {Shape(), Shape{1}, Shape{3, 7}, Shape{0}}) {
          std::vector<int32_t> numbers(static_cast<size_t>(picks.num_elements()));
          for (int32_t& number : numbers) number = static_cast<int32_t>(generator() % 24) - 12;
          OperatorCase c(gather(axis));
          c.input(random_bytes(generator, type, data)).input(tensor(picks, numbers));
          const auto inferred = c.infer();
          if (!inferred) continue;
          c.output(type, (*inferred)[0].shape);
          INFO(name(type) << " " << data.to_string() << " axis " << axis << " of " << picks.to_string());
          check_exact(c, reference(c)[0], "gather.rows");
        }
}

TEST_CASE("Gather reports the operand that does not fit") {
  const auto of = [](int32_t axis, const TestTensor& data, const TestTensor& indices) {
    OperatorCase c(gather(axis));
    c.input(data).input(indices);
    return infer_error(c);
  };
  const TestTensor index = tensor({1}, std::vector<int64_t>{0});
  CHECK_THAT(of(3, tensor({2, 3, 2}, kTwelve), index), Catch::Contains("axis is 3"));
  CHECK_THAT(of(0, tensor({}, std::vector<float>{1}), index), Catch::Contains("axis is 0"));
  CHECK_THAT(of(0, tensor({2}, std::vector<float>{1, 2}), tensor({1}, std::vector<float>{0})),
             Catch::Contains("indices are f32"));
  CHECK_THAT(of(0, tensor({0}, std::vector<float>{}), index), Catch::Contains("axis"));
  CHECK_THAT(of(0, tensor({1, 1, 1, 1, 1}, std::vector<float>{1}), tensor({1, 1, 1, 1, 1}, std::vector<int64_t>{0})),
             Catch::Contains("9 dimensions"));
}

}  // namespace
}  // namespace nestrt::test
