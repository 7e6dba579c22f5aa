// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/s8c_arithmetic.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "test/support/test_level.h"

namespace nestrt::test {

namespace s8c = kernels::s8c;
using s8c::Affine;

TEST_CASE("s8c quantize divides, rounds half to even, adds the zero point and clips") {
  const Affine half{0.5f, 3};
  CHECK(s8c::quantize<int8_t>(0.25f, half) == 3);   // 0.5 steps
  CHECK(s8c::quantize<int8_t>(0.75f, half) == 5);   // 1.5
  CHECK(s8c::quantize<int8_t>(-0.25f, half) == 3);  // -0.5
  CHECK(s8c::quantize<int8_t>(-0.75f, half) == 1);
  CHECK(s8c::quantize<uint8_t>(-2.0f, half) == 0);
  CHECK(s8c::quantize<uint8_t>(126.0f, half) == 255);
  CHECK(s8c::quantize<int8_t>(1e30f, half) == 127);
  CHECK(s8c::quantize<int8_t>(-std::numeric_limits<float>::infinity(), half) == -128);
  CHECK(s8c::quantize<uint8_t>(std::numeric_limits<float>::quiet_NaN(), half) == 3);
}

TEST_CASE("s8c quantize restores every integer that s8c dequantize converted") {
  for (const Affine affine : {Affine{0.1f, 0}, Affine{3.7e-5f, -128}, Affine{1234.5f, 127}, Affine{1e-30f, 17}})
    for (int q = -128; q <= 127; ++q) CHECK(s8c::quantize<int8_t>(s8c::dequantize(q, affine), affine) == q);
  CHECK(s8c::dequantize(std::numeric_limits<int32_t>::min(), {1.0f, 1}) == -0x1p31f);
}

TEST_CASE("s8c narrow multiplies once in f32 and clips before it rounds") {
  CHECK(s8c::narrow(5, 0.5f, 0) == 2);
  CHECK(s8c::narrow(7, 0.5f, 0) == 4);
  CHECK(s8c::narrow(-5, 0.5f, 10) == 8);
  CHECK(s8c::narrow(std::numeric_limits<int32_t>::max(), 1e30f, 5) == 127);
  CHECK(s8c::narrow(std::numeric_limits<int32_t>::min(), 1e30f, 5) == -128);
  CHECK(s8c::narrow(100, 1.0f, -128) == -28);
  CHECK(s8c::narrow(-3, 1.0f, 5, {5, 127}) == 5);
  CHECK(s8c::narrow(0x1000001, 0x1p-20f, 0) == 16);  // 2^24 + 1 becomes 2^24
}

TEST_CASE("s8c add rounds the exact sum half to even") {
  // Scales are m * 2^e with e >= -30 and m < 2^24, so that all terms fit in 64 bits.
  const auto as_integer = [](float scale) { return static_cast<int64_t>(std::ldexp(scale, 30)); };
  const auto expected = [&](int a, int b, float sa, float sb, float sy) {
    const int64_t twice = 2 * (a * as_integer(sa) + b * as_integer(sb)) + as_integer(sy), step = 2 * as_integer(sy);
    const int64_t raised = (twice - (((twice % step) + step) % step)) / step;  // half up
    const bool is_tie = twice % step == 0;
    return static_cast<int>(is_tie && raised % 2 != 0 ? raised - 1 : raised);
  };
  const float scales[] = {1, 2, 3, 5, 6, 0.75f, 0.1f, 0.2f, 0.3f, 1.0f / 3, 0.0123f, 7.3f, 0x1p-6f};
  const int step_a = by_level(17, 3, 3),
            step_b = by_level(15, 5, 5);  // divisors of 510, so that both ends are included
  int64_t wrong = 0;
  for (const float sa : scales)
    for (const float sb : {scales[0], scales[4], scales[8], scales[10], -scales[7], -scales[0]})
      for (const float sy : scales)
        for (int a = -255; a <= 255; a += step_a)
          for (int b = -255; b <= 255; b += step_b) {
            const int want = std::clamp(expected(a, b, sa, sb, sy), -s8c::kMaxSteps, s8c::kMaxSteps);
            wrong += s8c::add_exactly(a, b, {sa, sb, sy}) != want;
          }
  CHECK(wrong == 0);
  CHECK(s8c::add_exactly(1, 0, {1, 1, 2}) == 0);
  CHECK(s8c::add_exactly(3, 0, {1, 1, 2}) == 2);
  CHECK(s8c::add_exactly(-1, 0, {1, 1, 2}) == 0);
  CHECK(s8c::add_exactly(255, 255, {1e30f, 1e30f, 1e-30f}) == s8c::kMaxSteps);
  CHECK(s8c::add_exactly(1, 1, {1, 0x1p-80f, 2}) == 1);  // the small operand decides the tie
  CHECK(s8c::add_exactly(3, -1, {1, 0x1p-80f, 2}) == 1);
}

TEST_CASE("s8c add of TensorFlow Lite rounds half up and subtracts with a negative factor") {
  const s8c::AddFactors halves = s8c::add_factors(1, 1, 2);
  CHECK(s8c::add(1, 0, halves) == 1);
  CHECK(s8c::add(1, 2, halves) == 2);
  CHECK(s8c::add(-1, 0, halves) == 0);
  CHECK(s8c::add(-1, -2, halves) == -1);
  s8c::AddFactors difference = halves;
  difference.b = -difference.b;
  CHECK(difference.valid());
  CHECK(s8c::add(9, 4, difference) == 3);
  CHECK(s8c::add(4, 9, difference) == -2);
  CHECK(!s8c::add_factors(1e30f, 1, 1e-30f).valid());
  CHECK(s8c::add_factors(1e-30f, 1e-30f, 1e30f).valid());
}

TEST_CASE("Exact s8c averages round halves of stored integers away from zero, or up") {
  const auto away = ops::Rounding::kHalfAway, up = ops::Rounding::kHalfUpScaled;
  for (int zero : {-128, -7, 0, 127}) {
    CHECK(s8c::exact_average(6 - 4 * zero, 4, zero, away) == 2);    // 1.5
    CHECK(s8c::exact_average(-6 - 4 * zero, 4, zero, away) == -2);  // -1.5
    CHECK(s8c::exact_average(-6 - 4 * zero, 4, zero, up) == -1);
    CHECK(s8c::exact_average(6 - 4 * zero, 4, zero, up) == 2);
    CHECK(s8c::exact_average(-7 - 4 * zero, 4, zero, up) == -2);
    CHECK(s8c::exact_average(0, 0, zero, up) == zero);
  }
  for (const auto rounding : {away, up})
    for (const int64_t count : {int64_t{1}, int64_t{3}, int64_t{1} << 23}) {
      CHECK(s8c::exact_average(static_cast<int32_t>(-128 * count), count, 0, rounding) == -128);
      CHECK(s8c::exact_average(static_cast<int32_t>(127 * count), count, 0, rounding) == 127);
    }
}

TEST_CASE("A LeakyReLU in fixed point has factors of 8 fractional bits") {
  const s8c::LeakyFactors factors = s8c::leaky_factors(0.5f, 0.2f, 0.25f);
  CHECK(factors.positive == 512);
  CHECK(factors.negative == 102);  // 0.4 * 256 = 102.4
  CHECK(s8c::leaky_relu(7, factors) == 14);
  CHECK(s8c::leaky_relu(-100, factors) == -40);  // -39.84
  CHECK(s8c::leaky_relu(-64, factors) == -25);   // -25.5, half up
  CHECK(!s8c::leaky_factors(1e30f, 0.1f, 1e-30f).valid());
  CHECK(!s8c::leaky_factors(1, std::numeric_limits<float>::quiet_NaN(), 1).valid());
}

TEST_CASE("Interpolation in fixed point is exact between 11-bit weights and rounds half up") {
  const auto blend = [](int tl, int tr, int bl, int br, float x, float y) {
    const int32_t wx = s8c::interpolation_weight(x), wy = s8c::interpolation_weight(y);
    return s8c::interpolated(s8c::interpolate(s8c::interpolate(tl, tr, wx), s8c::interpolate(bl, br, wx), wy));
  };
  CHECK(blend(1, 2, 1, 2, 0.5f, 0) == 2);
  CHECK(blend(-1, -2, -1, -2, 0.5f, 0) == -1);
  CHECK(blend(-128, -128, -128, -128, 0.3f, 0.7f) == -128);
  CHECK(blend(127, 127, 127, 127, 1, 1) == 127);
  CHECK(blend(0, 100, 50, -20, 0.25f, 0.5f) == 29);  // 25 and 32.5: 28.75
}

TEST_CASE("The factors of an s8c add keep sums in int32 or are invalid") {
  for (int e = -140; e <= 120; ++e) {
    const s8c::AddFactors factors = s8c::add_factors(std::ldexp(1.9999999f, e), std::ldexp(1.0f, -126), 1.0f);
    CHECK(factors.shift >= 0);
    CHECK(factors.shift <= 31);
    CHECK(factors.valid() == (e <= 20));
    if (!factors.valid()) continue;
    const int64_t sum = int64_t{255} * factors.a + int64_t{255} * factors.b;
    CHECK(sum + (int64_t{1} << 30) <= std::numeric_limits<int32_t>::max());
  }
}

TEST_CASE("s8c averages divide by the count and are zero for an empty window") {
  CHECK(s8c::average(10, 4, 1.0f, {1.0f, 0}) == 2);  // 2.5
  CHECK(s8c::average(14, 4, 1.0f, {1.0f, 0}) == 4);  // 3.5
  CHECK(s8c::average(-9, 3, 0.5f, {0.25f, 7}) == 1);
  CHECK(s8c::average(0, 0, 1.0f, {1.0f, -9}) == -9);
}

TEST_CASE("Fused activations become bounds around the zero point") {
  const Affine to{0.1f, -20};
  CHECK(s8c::activation_bounds({ops::ActivationKind::kRelu, 0, 0}, to).low == -20);
  const s8c::Bounds six = s8c::activation_bounds({ops::ActivationKind::kClip, 0, 6}, to);
  CHECK(six.low == -20);
  CHECK(six.high == 40);
  CHECK(s8c::activation_bounds({}, to).low == -128);
}

}  // namespace nestrt::test
