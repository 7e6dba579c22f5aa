// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

ops::GatherElements gather_elements(int32_t axis) {
  ops::GatherElements table;
  table.axis = axis;
  return table;
}

TEST_CASE("GatherElements selects elements along an axis") {
  OperatorCase c(gather_elements(0));
  c.input(tensor({3, 3}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  c.input(tensor({2, 3}, std::vector<int64_t>{1, 2, 0, -1, 0, 9})).output(DataType::kF32, {2, 3});
  const auto inferred = c.infer();
  REQUIRE(inferred);
  CHECK(inferred->front().shape == Shape{2, 3});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{4, 8, 3, 7, 2, 9});
}

TEST_CASE("GatherElements by rows equals the reference") {
  struct Case {
    Shape data, indices;
  };
  std::mt19937 generator(43);
  for (const auto& [data, indices] : {Case{{7}, {19}},
                                      {{5, 9}, {3, 9}},
                                      {{6, 5, 4}, {6, 5, 4}},
                                      {{2, 3, 200}, {2, 3, 150}},
                                      {{3, 1, 2, 5}, {3, 1, 2, 5}},
                                      {{4, 3}, {0, 3}}})
    for (DataType type : {DataType::kF32, DataType::kS8, DataType::kS64})
      for (DataType index : {DataType::kS32, DataType::kS64})
        for (int axis = 0; axis < data.rank(); ++axis) {
          OperatorCase c(gather_elements(axis));
          std::vector<int64_t> numbers(static_cast<size_t>(indices.num_elements()));
          for (int64_t& number : numbers) number = static_cast<int64_t>(generator() % 24) - 12;
          const TestTensor positions = index == DataType::kS64
                                           ? tensor(indices, numbers)
                                           : tensor(indices, std::vector<int32_t>(numbers.begin(), numbers.end()));
          c.input(random_bytes(generator, type, data)).input(positions);
          if (!c.infer()) continue;
          c.output(type, indices);
          INFO(name(type) << " " << data.to_string() << " axis " << axis);
          check_exact(c, reference(c)[0], "gather_elements.rows");
        }
}

TEST_CASE("GatherElements reports the operand that does not fit") {
  const auto of = [](int32_t axis, const TestTensor& indices) {
    OperatorCase c(gather_elements(axis));
    c.input(tensor({2, 2}, std::vector<float>(4))).input(indices);
    return infer_error(c);
  };
  CHECK_THAT(of(2, tensor({2, 2}, std::vector<int64_t>(4))), Catch::Contains("axis is 2"));
  CHECK_THAT(of(0, tensor({1, 3}, std::vector<int64_t>(3))), Catch::Contains("indices have shape 1x3"));
  CHECK_THAT(of(0, tensor({4}, std::vector<int64_t>(4))), Catch::Contains("indices have shape 4"));
  CHECK_THAT(of(0, tensor({2, 2}, std::vector<float>(4))), Catch::Contains("indices are f32"));
}

}  // namespace
}  // namespace nestrt::test
