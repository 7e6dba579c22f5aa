// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "kernels/common/quantization/s8_arithmetic.h"
#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

std::vector<int8_t> requantized(int from, int to, ops::Rounding rounding) {
  ops::Requantize table;
  table.rounding = rounding;
  OperatorCase c(table);
  c.input(with_exponent(tensor_s8({5}, {-128, -3, 1, 3, 127}), from)).output_s8({5}, to);
  CHECK(infer_error(c).empty());
  return reference(c)[0].values<int8_t>();
}

TestTensor every_s8() {
  std::vector<int> all;
  for (int q = -128; q <= 127; ++q) all.push_back(q);
  return tensor_s8({256}, all);
}

}  // namespace

TEST_CASE("Requantize shifts right with rounding and left with clipping") {
  CHECK(requantized(5, 4, ops::Rounding::kHalfUp) == std::vector<int8_t>{-64, -1, 1, 2, 64});
  CHECK(requantized(5, 4, ops::Rounding::kHalfEven) == std::vector<int8_t>{-64, -2, 0, 2, 64});
  CHECK(requantized(5, 4, ops::Rounding::kFloor) == std::vector<int8_t>{-64, -2, 0, 1, 63});
  CHECK(requantized(4, 6, ops::Rounding::kHalfUp) == std::vector<int8_t>{-128, -12, 4, 12, 127});
  CHECK(requantized(-64, 64, ops::Rounding::kHalfUp) == std::vector<int8_t>{-128, -128, 127, 127, 127});
  CHECK(requantized(64, -64, ops::Rounding::kHalfUp) == std::vector<int8_t>{0, 0, 0, 0, 0});
}

TEST_CASE("Requantize computes a LeakyReLU in fixed point") {
  ops::Requantize table;
  table.rounding = ops::Rounding::kHalfUpScaled;
  table.activation = {ops::ActivationKind::kLeakyRelu, 0.2f, 0};
  OperatorCase c(table);
  c.input(with_scale(tensor_s8({5}, {-128, -65, -1, 6, 127}), 0.5f, -1)).output_s8c({5}, 0.25f, 10);
  CHECK(infer_error(c).empty());
  // Steps -127, -64, 0, 7 and 128 are multiplied by 102 / 256 or 2.
  const std::vector<int8_t> expected{-41, -15, 10, 24, 127};
  CHECK(reference(c)[0].values<int8_t>() == expected);
  check_exact(c, reference(c)[0], "requantize.table");
  table.activation.kind = ops::ActivationKind::kSigmoid;
  OperatorCase other(table);
  other.input(with_scale(tensor_s8({1}, {1}), 0.5f, 0)).output_s8c({1}, 0.25f, 0);
  CHECK_THAT(infer_error(other), Catch::Contains("does not support the activation sigmoid"));
  ops::Requantize shift;
  shift.rounding = ops::Rounding::kHalfAway;
  OperatorCase exponents(shift);
  exponents.input(with_exponent(tensor_s8({1}, {1}), 2)).output_s8({1}, 1);
  CHECK_THAT(infer_error(exponents), Catch::Contains("rounding half_away"));
}

TEST_CASE("Requantize is the same in a blocked layout") {
  std::mt19937 generator(5);
  const TestTensor x = with_exponent(random_s8(generator, {2, 33, 3}), 6);
  OperatorCase plain{ops::Requantize()}, blocked{ops::Requantize()};
  plain.input(x).output_s8(x.shape, 3);
  blocked.input(with_layout(x, Layout::kBlocked16)).output_s8(x.shape, 3, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "requantize.simd");
}

TEST_CASE("Vectorized Requantize equals the reference for all exponents") {
  for (ops::Rounding rounding : {ops::Rounding::kHalfUp, ops::Rounding::kFloor, ops::Rounding::kHalfEven}) {
    for (int to : {-64, -40, -33, -32, -20, -9, -8, -7, -2, -1, 0, 1, 2, 6, 7, 8, 9, 33, 64}) {
      for (const auto kind : {ops::ActivationKind::kNone, ops::ActivationKind::kRelu, ops::ActivationKind::kClip}) {
        ops::Requantize table;
        table.rounding = rounding;
        table.activation = {kind, -0.5f, 6.5f};
        OperatorCase c(table);
        c.input(with_exponent(every_s8(), 0)).output_s8({256}, to);
        check_exact(c, reference(c)[0], "requantize.simd");
      }
    }
  }
}

TEST_CASE("A Requantize that shifts equals Dequantize, the activation and Quantize") {
  for (int to : {-3, -1, 0, 1, 2, 5}) {
    ops::Requantize table;
    table.rounding = ops::Rounding::kHalfEven;
    table.activation = {ops::ActivationKind::kClip, -2.5f, 6.5f};
    OperatorCase c(table);
    c.input(with_exponent(every_s8(), 2)).output_s8({256}, to);
    std::vector<int8_t> expected;
    for (int q = -128; q <= 127; ++q)
      expected.push_back(kernels::s8::quantize(std::clamp(std::ldexp(static_cast<float>(q), -2), -2.5f, 6.5f), to,
                                               ops::Rounding::kHalfEven));
    CHECK(reference(c)[0].values<int8_t>() == expected);
  }
}

TEST_CASE("Requantize converts between exponents and scales") {
  ops::Requantize table;
  table.rounding = ops::Rounding::kHalfEven;
  OperatorCase to_exponent(table);
  to_exponent.input(with_scale(tensor_u8({4}, {0, 128, 131, 255}), 0.5f, 128)).output_s8({4}, 0);
  CHECK(infer_error(to_exponent).empty());
  CHECK(reference(to_exponent)[0].values<int8_t>() == std::vector<int8_t>{-64, 0, 2, 64});  // 1.5 and 63.5 are ties
  OperatorCase to_scale(table);
  to_scale.input(with_exponent(tensor_s8({3}, {-128, 1, 127}), 1)).output_s8c({3}, 0.25f, 3);
  CHECK(infer_error(to_scale).empty());
  CHECK(reference(to_scale)[0].values<int8_t>() == std::vector<int8_t>{-128, 5, 127});
  check_exact(to_scale, reference(to_scale)[0], "requantize.table");
}

TEST_CASE("Requantize between scales is Dequantize and Quantize") {
  OperatorCase c{ops::Requantize()};
  c.input(with_scale(tensor_s8({5}, {-128, -1, 0, 1, 127}), 0.5f, -1)).output_s8c({5}, 1.0f, 10);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{-54, 10, 10, 11, 74});  // -63.5, 0, 0.5, 1, 64
}

TEST_CASE("Requantize converts u8 to s8 and back without loss") {
  std::vector<int> every(256), shifted(256);
  for (int i = 0; i < 256; ++i) every[static_cast<size_t>(i)] = i, shifted[static_cast<size_t>(i)] = i - 128;
  OperatorCase c{ops::Requantize()};
  c.input(with_scale(tensor_u8({256}, every), 0.3f, 200)).output_s8c({256}, 0.3f, 72);
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>(shifted.begin(), shifted.end()));
  ops::Requantize back;
  back.to = DataType::kU8;
  OperatorCase d(back);
  d.input(with_scale(tensor_s8({256}, shifted), 0.3f, 72))
      .output(with_scale(shape_only({256}, DataType::kU8), 0.3f, 200));
  CHECK(infer_error(d).empty());
  CHECK(reference(d)[0].values<uint8_t>() == std::vector<uint8_t>(every.begin(), every.end()));
}

TEST_CASE("An activation of Requantize applies to real values") {
  ops::Requantize table;
  table.activation = {ops::ActivationKind::kLeakyRelu, 0.25f, 0.0f};
  OperatorCase c(table);
  c.input(with_scale(tensor_s8({2}, {-8, 8}), 1.0f, 0)).output_s8c({2}, 1.0f, 5);
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{3, 13});
  OperatorCase d(table);
  d.input(with_exponent(tensor_s8({3}, {-8, -6, 8}), 0)).output_s8({3}, 0);
  CHECK(reference(d)[0].values<int8_t>() == std::vector<int8_t>{-2, -1, 8});  // -1.5 rounds half up
}

TEST_CASE("Requantize between scales is the same in a blocked layout") {
  std::mt19937 generator(3);
  const TestTensor x = with_scale(random_s8(generator, {2, 19, 3, 2}), 0.5f, 3);
  OperatorCase plain{ops::Requantize()}, blocked{ops::Requantize()};
  plain.input(x).output_s8c(x.shape, 0.3f, -9);
  blocked.input(with_layout(x, Layout::kBlocked16)).output_s8c(x.shape, 0.3f, -9, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "requantize.table");
}

}  // namespace nestrt::test
