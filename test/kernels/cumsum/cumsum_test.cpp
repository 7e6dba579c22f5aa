// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

OperatorCase cumsum_case(const TestTensor& input, int axis, bool exclusive, bool reverse) {
  ops::CumSum table;
  table.axis = axis;
  table.exclusive = exclusive;
  table.reverse = reverse;
  OperatorCase c(table);
  c.input(input).output(input.type, input.shape);
  return c;
}

}  // namespace

TEST_CASE("CumSum computes inclusive and exclusive sums along its axis in both directions") {
  const TestTensor x = tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto sums = [&](int axis, bool exclusive, bool reverse) {
    return reference(cumsum_case(x, axis, exclusive, reverse))[0].values<float>();
  };
  CHECK(sums(1, false, false) == std::vector<float>{1, 3, 6, 4, 9, 15});
  CHECK(sums(-1, true, false) == std::vector<float>{0, 1, 3, 0, 4, 9});
  CHECK(sums(1, false, true) == std::vector<float>{6, 5, 3, 15, 11, 6});
  CHECK(sums(1, true, true) == std::vector<float>{5, 3, 0, 11, 6, 0});
  CHECK(sums(0, false, false) == std::vector<float>{1, 2, 3, 5, 7, 9});
}

TEST_CASE("CumSum computes products if requested") {
  OperatorCase c(ops::CumSum{.axis = 0, .exclusive = true, .product = true});
  c.input(tensor({3}, std::vector<int32_t>{2, 3, 4})).output(DataType::kS32, {3});
  CHECK(reference(c)[0].values<int32_t>() == std::vector<int32_t>{1, 2, 6});
}

TEST_CASE("CumSum of integers wraps") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const TestTensor x = tensor({3}, std::vector<int64_t>{kMax, 1, 1});
  CHECK(reference(cumsum_case(x, 0, false, false))[0].values<int64_t>() ==
        std::vector<int64_t>{kMax, -kMax - 1, -kMax});
}

TEST_CASE("CumSum in tiles equals the reference") {
  std::mt19937 generator(42);
  for (const Shape& shape : {Shape{1}, Shape{5, 3}, Shape{3, 300}, Shape{2, 21, 270}, Shape{0, 4}, Shape{4, 0}})
    for (DataType type : {DataType::kF32, DataType::kS32, DataType::kS64})
      for (int axis = 0; axis < shape.rank(); ++axis)
        for (int way = 0; way < 8; ++way) {
          const TestTensor x =
              type == DataType::kF32 ? random_tensor(generator, shape) : random_bytes(generator, type, shape);
          OperatorCase c(ops::CumSum{
              .axis = axis, .exclusive = (way & 1) != 0, .reverse = (way & 2) != 0, .product = (way & 4) != 0});
          c.input(x).output(type, shape);
          INFO(name(type) << " " << shape.to_string() << " axis " << axis << " way " << way);
          check_exact(c, reference(c)[0], "cumsum.tiles");
        }
}

TEST_CASE("CumSum rejects booleans and an axis out of range") {
  CHECK(cumsum_case(tensor_bool({2}, {0, 1}), 0, false, false).infer().error().message().find("bool") !=
        std::string_view::npos);
  CHECK(cumsum_case(tensor({2}, std::vector<float>{0, 1}), 1, false, false).infer().error().message().find("axis") !=
        std::string_view::npos);
}

}  // namespace nestrt::test
