// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/compare.h"

#include <catch2/catch.hpp>
#include <limits>

namespace nestrt::compiler {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Difference difference(const std::vector<float>& actual, const std::vector<float>& expected, const Shape& shape) {
  const auto result = compare(tensor_view(std::span(actual), shape), tensor_view(std::span(expected), shape));
  REQUIRE(result.has_value());
  return *result;
}

}  // namespace

TEST_CASE("Equal tensors do not differ") {
  const Difference d = difference({1, kNan, kInfinity}, {1, kNan, kInfinity}, {3});
  REQUIRE(d.max_absolute == 0);
  REQUIRE(d.relative() == 0);
  REQUIRE(d.within(0));
}

TEST_CASE("The largest difference is reported relative to the largest element") {
  const Difference d = difference({1, -7.5, 3}, {1, -8, 3.25}, {3});
  REQUIRE(d.max_absolute == 0.5);
  REQUIRE(d.at == 1);
  REQUIRE(d.relative() == 0.5 / 8);
  REQUIRE(d.within(0.0626));
  REQUIRE_FALSE(d.within(0.0624));
}

TEST_CASE("A NaN or infinity on one side only is an infinite difference") {
  auto [actual, expected] =
      GENERATE(table<float, float>({{kNan, 1.f}, {1.f, kNan}, {kInfinity, 1.f}, {1.f, -kInfinity}}));
  const Difference d = difference({0, actual}, {0, expected}, {2});
  REQUIRE(d.max_absolute == kInfinity);
  REQUIRE_FALSE(d.within(1));
}

TEST_CASE("The top classes are compared along the last axis that is longer than 1") {
  const Difference d = difference({1, 9, 2, 9, 1, 2}, {1, 8, 2, 1, 9, 2}, {2, 3, 1, 1});
  REQUIRE(d.rows == 2);
  REQUIRE(d.rows_agreeing == 1);
  REQUIRE(d.actual_top == 1);
  REQUIRE(d.expected_top == 1);
}

TEST_CASE("NaN scores have no top class and agree with no class") {
  const Difference d = difference({kNan, 1, 2, 1}, {kNan, 1, 2, 1}, {2, 2});
  CHECK(d.rows == 2);
  CHECK(d.rows_agreeing == 1);
  CHECK(d.actual_top == -1);
  CHECK(d.expected_top == -1);
}

TEST_CASE("Integers may differ by a step, and by more if the noise is low") {
  constexpr float kStep = 0.19f;
  const auto with_step = [&](float actual, float expected, float others) {
    Difference d = difference({others * kStep, actual * kStep}, {others * kStep, expected * kStep}, {2});
    d.step = kStep;
    return d;
  };
  CHECK(with_step(-8, -7, 0).within(0));
  CHECK(with_step(117, 118, 0).within(0));
  CHECK_FALSE(with_step(-9, -7, 0).within(0));
  CHECK(with_step(-9, -7, 127).within(0));
  CHECK_FALSE(with_step(-12, -7, 127).within(0));
  CHECK_FALSE(with_step(17, 0, 1000).within(0));
  CHECK_FALSE(with_step(kNan, 1, 127).within(0));
  Difference inexact = with_step(-8, -7, 0);
  inexact.max_absolute = inexact.step * 1.0000131;  // product of two f32 numbers
  CHECK(inexact.within(0));
}

TEST_CASE("Signal-to-noise ratio and cosine cover all elements of all runs") {
  Difference d = difference({11, 0}, {10, 0}, {2});
  CHECK(d.decibel() == Approx(20));
  CHECK(d.cosine() == Approx(1));
  CHECK(difference({-10, 0}, {10, 0}, {2}).cosine() == Approx(-1));
  CHECK(difference({0, 0}, {0, 0}, {2}).cosine() == 1);
  CHECK(difference({kNan, 0}, {1, 0}, {2}).decibel() == -kInfinity);
  d.add(difference({0, 30}, {0, 30}, {2}));
  CHECK(d.decibel() == Approx(30));
  CHECK(d.max_absolute == 1);
  CHECK(d.largest == 30);
}

TEST_CASE("A negligible absolute difference is ignored even for small elements") {
  const Difference d = difference({3e-5F}, {3.05e-5F}, {1});
  CHECK_FALSE(d.within(1e-4));
  CHECK(d.within(1e-4, 1e-6));
}

TEST_CASE("Outputs that are all NaN on both sides are not comparable") {
  CHECK(difference({kNan, kNan}, {kNan, kNan}, {2}).all_nan());
  CHECK_FALSE(difference({kNan, 1}, {kNan, 1}, {2}).all_nan());
  CHECK_FALSE(difference({kNan, kNan}, {kNan, 1}, {2}).all_nan());
  CHECK_FALSE(difference({}, {}, {0}).all_nan());
  Difference both = difference({kNan}, {kNan}, {1});
  both.add(difference({2}, {2}, {1}));
  CHECK_FALSE(both.all_nan());
}

TEST_CASE("Integers are compared exactly") {
  const std::vector<int64_t> a = {1, 2, 3}, b = {1, 2, 4};
  const auto result = compare({DataType::kS64, {3}, a.data()}, {DataType::kS64, {3}, b.data()});
  REQUIRE(result->max_absolute == 1);
  REQUIRE(result->elements_equal == 2);
  REQUIRE(result->elements == 3);
}

TEST_CASE("Large integers that differ by one do not match") {
  const auto one_apart = []<typename T>(T value) {
    const std::vector<T> actual{value, 5}, expected{static_cast<T>(value - 1), 5};
    const auto result = compare(tensor_view(std::span(actual), {2}), tensor_view(std::span(expected), {2}));
    REQUIRE(result.has_value());
    CHECK(result->max_absolute == 1);
    return !result->within(1e-4);
  };
  CHECK(one_apart(int32_t{20'000}));
  CHECK(one_apart(int64_t{20'000}));
  CHECK(one_apart(int64_t{1} << 60));
}

TEST_CASE("Two empty tensors do not differ") { REQUIRE(difference({}, {}, {0, 4}).within(0)); }

TEST_CASE("Tensors of different types or sizes cannot be compared") {
  const std::vector<float> a(4), b(6);
  const std::vector<int32_t> c(4);
  REQUIRE(compare(tensor_view(std::span(a), {4}), tensor_view(std::span(b), {6})).error().code() ==
          Code::kInvalidArgument);
  REQUIRE(compare(tensor_view(std::span(a), {4}), {DataType::kS32, {4}, c.data()}).error().code() ==
          Code::kInvalidArgument);
}

}  // namespace nestrt::compiler
