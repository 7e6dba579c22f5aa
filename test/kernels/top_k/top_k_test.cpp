// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

OperatorCase top_k_case(const TestTensor& input, int axis, int count, bool smallest = false) {
  OperatorCase c(ops::TopK{.axis = axis, .count = count, .smallest = smallest});
  Shape shape = input.shape;
  shape[axis < 0 ? axis + shape.rank() : axis] = count;
  c.input(input).output(DataType::kS64, shape);
  return c;
}

std::vector<int64_t> picked(const OperatorCase& c) { return reference(c)[0].values<int64_t>(); }

TEST_CASE("TopK returns positions in order and keeps the order of equal elements") {
  const TestTensor x = tensor({2, 4}, std::vector<float>{1, 3, 2, 3, -1, -0.0f, 0, -2});
  CHECK(picked(top_k_case(x, 1, 3)) == std::vector<int64_t>{1, 3, 2, 1, 2, 0});
  CHECK(picked(top_k_case(x, -1, 2, true)) == std::vector<int64_t>{0, 2, 3, 0});
  CHECK(picked(top_k_case(x, 0, 1)) == std::vector<int64_t>{0, 0, 0, 0});
  CHECK(picked(top_k_case(x, 1, 0)).empty());
}

TEST_CASE("TopK treats NaN as the largest element and supports integers of every width") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  const TestTensor x = tensor({4}, std::vector<float>{kInf, kNan, -kInf, 1});
  CHECK(picked(top_k_case(x, 0, 4)) == std::vector<int64_t>{1, 0, 3, 2});
  CHECK(picked(top_k_case(x, 0, 4, true)) == std::vector<int64_t>{2, 3, 0, 1});
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  CHECK(picked(top_k_case(tensor({3}, std::vector<int64_t>{kMin, kMax, 0}), 0, 3)) == std::vector<int64_t>{1, 2, 0});
  CHECK(picked(top_k_case(tensor_u8({3}, {200, 255, 7}), 0, 2, true)) == std::vector<int64_t>{2, 0});
  CHECK(picked(top_k_case(tensor_s8({3}, {-128, 127, 7}), 0, 2)) == std::vector<int64_t>{1, 2});
}

TEST_CASE("TopK agrees with sorting for every count") {
  std::mt19937 generator(7);
  const int64_t length = 37;
  const TestTensor x = random_tensor(generator, {length});
  const std::vector<float> values = x.values<float>();
  std::vector<int64_t> sorted(length);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](int64_t a, int64_t b) {
    return values[static_cast<size_t>(a)] > values[static_cast<size_t>(b)];
  });
  for (int count = 1; count <= length; ++count)
    CHECK(picked(top_k_case(x, 0, count)) == std::vector<int64_t>(sorted.begin(), sorted.begin() + count));
}

TEST_CASE("TopK that skips elements in vectors equals the reference") {
  std::mt19937 generator(8);
  const float special[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -0.0f, 0};
  for (const Shape& shape : {Shape{1}, Shape{3, 19}, Shape{2, 1000}})
    for (bool rounded : {false, true})
      for (bool smallest : {false, true}) {
        std::vector<float> x = random_tensor(generator, shape, -4, 4).values<float>();
        for (float& v : x) {
          if (rounded) v = std::nearbyint(v);
          if (generator() % 20 == 0) v = special[generator() % 4];
        }
        const int64_t length = shape[shape.rank() - 1];
        for (int64_t count : {int64_t{0}, int64_t{1}, std::min<int64_t>(length, 7), length}) {
          const OperatorCase c = top_k_case(tensor(shape, x), -1, static_cast<int>(count), smallest);
          INFO(shape.to_string() << " count " << count);
          check_exact(c, reference(c)[0], "top_k.f32.skip");
        }
      }
}

TEST_CASE("TopK reports the operand that does not fit") {
  CHECK_THAT(infer_error(top_k_case(tensor({2}, std::vector<float>{1, 2}), 0, 3)), Catch::Contains("count 3"));
  CHECK_THAT(infer_error(top_k_case(tensor({2}, std::vector<float>{1, 2}), 0, -1)), Catch::Contains("count -1"));
  CHECK_THAT(infer_error(top_k_case(tensor_bool({2}, {1, 0}), 0, 1)), Catch::Contains("bool"));
}

}  // namespace
}  // namespace nestrt::test
