// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/s8_arithmetic.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace nestrt::kernels::s8 {
namespace {

constexpr Rounding kRoundings[] = {Rounding::kHalfUp, Rounding::kFloor, Rounding::kHalfEven};
constexpr int32_t kMin32 = std::numeric_limits<int32_t>::min(), kMax32 = std::numeric_limits<int32_t>::max();

// Returns a rounded quotient, computed from the definition instead of with shifts.
double rounded(double quotient, Rounding rounding) {
  if (rounding == Rounding::kHalfEven) return std::nearbyint(quotient);
  return std::floor(quotient + (rounding == Rounding::kHalfUp ? 0.5 : 0.0));
}

double divided(double value, int shift, Rounding rounding) { return rounded(std::ldexp(value, -shift), rounding); }

double limited(double value, double low = kLow, double high = kHigh) { return std::min(std::max(value, low), high); }

template <typename Visit>
void for_each_s8(Visit visit) {
  for (int q = kLow; q <= kHigh; ++q) visit(static_cast<int8_t>(q));
}

}  // namespace

TEST_CASE("A right shift divides and rounds half up, half to even or down, for negative values too") {
  CHECK(shift_right(3, 1, Rounding::kHalfUp) == 2);
  CHECK(shift_right(-3, 1, Rounding::kHalfUp) == -1);
  CHECK(shift_right(3, 1, Rounding::kHalfEven) == 2);
  CHECK(shift_right(5, 1, Rounding::kHalfEven) == 2);
  CHECK(shift_right(-3, 1, Rounding::kHalfEven) == -2);
  CHECK(shift_right(3, 1, Rounding::kFloor) == 1);
  CHECK(shift_right(-3, 1, Rounding::kFloor) == -2);
  int failures = 0;
  for (Rounding rounding : kRoundings)
    for (int shift = 0; shift <= 20; ++shift)
      for (int32_t value = -70000; value <= 70000; value += 7)
        failures += shift_right(value, shift, rounding) != divided(value, shift, rounding);
  CHECK(failures == 0);
}

TEST_CASE("Shifts are exact at the limits of int32 if the rounding term fits") {
  for (int shift = 0; shift <= kMaxShift; ++shift) {
    CHECK(shift_right(kMin32, shift, Rounding::kHalfUp) == divided(kMin32, shift, Rounding::kHalfUp));
    CHECK(shift_right(kMax32, shift, Rounding::kFloor) == divided(kMax32, shift, Rounding::kFloor));
    const int32_t largest = kMax32 - rounding_term(shift, Rounding::kHalfUp);
    CHECK(shift_right(largest, shift, Rounding::kHalfUp) == divided(largest, shift, Rounding::kHalfUp));
    CHECK(shift_right(kMin32, shift, Rounding::kHalfEven) == divided(kMin32, shift, Rounding::kHalfEven));
    CHECK(shift_right(largest, shift, Rounding::kHalfEven) == divided(largest, shift, Rounding::kHalfEven));
  }
}

TEST_CASE("Sums, including the rounding term, wrap around at the limits of int32") {
  CHECK(wrapping_add(kMax32, 1) == kMin32);
  CHECK(multiply_add(kMin32, -128, 1) == kMax32 - 127);
  CHECK(shift_right(kMax32, 1, Rounding::kHalfUp) == kMin32 / 2);
}

TEST_CASE("Narrowing clips to the bounds") {
  CHECK(narrow(100000, 3, Rounding::kHalfUp) == 127);
  CHECK(narrow(-100000, 3, Rounding::kHalfUp) == -128);
  CHECK(narrow(-20, 1, Rounding::kHalfUp, {0, 127}) == 0);
  CHECK(narrow(20, 1, Rounding::kHalfUp, {0, 6}) == 6);
  CHECK(clip(5, {9, 3}) == 3);  // crossed bounds: the upper one wins, as in min(max(x, low), high)
}

TEST_CASE("Quantize is the inverse of dequantize for every s8 value") {
  for (int exponent = -64; exponent <= 64; ++exponent) {
    int failures = 0;
    for_each_s8([&](int8_t q) {
      for (Rounding rounding : kRoundings) failures += quantize(dequantize(q, exponent), exponent, rounding) != q;
    });
    CHECK(failures == 0);
  }
}

TEST_CASE("Quantization rounds half up or down and saturates") {
  CHECK(quantize(0.5f, 0) == 1);
  CHECK(quantize(-0.5f, 0) == 0);
  CHECK(quantize(-1.5f, 0) == -1);
  CHECK(quantize(std::nextafter(0.5f, 0.0f), 0) == 0);
  CHECK(quantize(std::nextafter(-0.5f, -1.0f), 0) == -1);
  CHECK(quantize(-1e-30f, 0) == 0);
  CHECK(quantize(-1e-30f, 0, Rounding::kFloor) == -1);
  CHECK(quantize(0.75f, 0, Rounding::kFloor) == 0);
  CHECK(quantize(126.5f, 0) == 127);
  CHECK(quantize(126.5f, 0, Rounding::kFloor) == 126);
  CHECK(quantize(-127.75f, 0) == -128);
  CHECK(quantize(1e30f, 64) == 127);
  CHECK(quantize(-std::numeric_limits<float>::infinity(), 5) == -128);
  CHECK(quantize(std::numeric_limits<float>::infinity(), 5) == 127);
  CHECK(quantize(std::numeric_limits<float>::quiet_NaN(), 5) == 0);
}

TEST_CASE("Requantization returns the exact value, rounded and clipped") {
  int failures = 0;
  for (Rounding rounding : kRoundings)
    for (int from = -64; from <= 64; from += 4)
      for (int to = from - 40; to <= from + 40; ++to)
        for_each_s8([&](int8_t q) {
          const double exact =
              to > from ? std::ldexp(static_cast<double>(q), to - from) : divided(q, from - to, rounding);
          failures += requantize(q, from, to, rounding) != limited(exact);
        });
  CHECK(failures == 0);
}

TEST_CASE("Addition aligns its operands, rounds the sum once and clips it") {
  int failures = 0;
  for (Rounding rounding : kRoundings)
    for (const auto& [ea, eb, eo] : {std::array{3, 3, 2}, {5, 3, 3}, {0, 7, 6}, {20, 0, 0}, {4, 4, 4}, {-3, 2, -9}}) {
      const AddShifts shifts = add_shifts(ea, eb, eo);
      REQUIRE(shifts.valid());
      for_each_s8([&, ea = ea, eb = eb, eo = eo](int8_t a) {
        for_each_s8([&](int8_t b) {
          const double sum = std::ldexp(static_cast<double>(a), -ea) + std::ldexp(static_cast<double>(b), -eb);
          failures += add(a, b, shifts, rounding) != limited(rounded(std::ldexp(sum, eo), rounding));
        });
      });
    }
  CHECK(failures == 0);
  CHECK_FALSE(add_shifts(0, 21, 0).valid());
  CHECK_FALSE(add_shifts(2, 3, 4).valid());
  CHECK_FALSE(add_shifts(20, 20, -12).valid());
  CHECK(add(-100, 50, {0, 0, 0}, Rounding::kHalfUp, {0, 127}) == 0);
}

TEST_CASE("Averages that round half to even are exact") {
  int failures = 0;
  for (int64_t count = 1; count <= 256; ++count)
    for (int64_t sum = -128 * count; sum <= 127 * count; ++sum)
      failures += average(static_cast<int32_t>(sum), count, Rounding::kHalfEven) !=
                  limited(std::nearbyint(static_cast<double>(sum) / static_cast<double>(count)));
  CHECK(failures == 0);
  CHECK(average(static_cast<int32_t>(-128 * kMaxWindow), kMaxWindow, Rounding::kHalfEven) == -128);
}

TEST_CASE("Averages divide by a shift or by a 24-bit reciprocal") {
  for (Rounding rounding : {Rounding::kHalfUp, Rounding::kFloor}) {
    int failures = 0;
    for (int64_t count = 1; count <= 256; ++count)
      for (int64_t sum = -128 * count; sum <= 127 * count; sum += 3) {
        // The error of the reciprocal is at most 2^-25, which is at most 2^-9 for these sums. A result differs from the
        // exact one only if the quotient is that close to a rounding boundary.
        const double quotient = static_cast<double>(sum) / static_cast<double>(count);
        const double half = rounding == Rounding::kHalfUp ? 0.5 : 0.0;
        const int result = average(static_cast<int32_t>(sum), count, rounding);
        failures += result < limited(std::floor(quotient + half - 0.002)) ||
                    result > limited(std::floor(quotient + half + 0.002));
      }
    CHECK(failures == 0);
  }
  CHECK(average(49 * 7, 49, Rounding::kHalfUp) == 7);
  CHECK(average(-3, 2, Rounding::kHalfUp) == -1);
  CHECK(average(-3, 2, Rounding::kFloor) == -2);
  CHECK(average(17, 0, Rounding::kHalfUp) == 0);
  CHECK(average(static_cast<int32_t>(-128 * kMaxWindow), kMaxWindow, Rounding::kFloor) == -128);
}

TEST_CASE("The bounds of an activation are its quantized real bounds") {
  using ops::ActivationKind;
  const auto bounds = [](const Activation& activation, int exponent, Rounding rounding = Rounding::kHalfUp) {
    return activation_bounds(activation, exponent, rounding);
  };
  CHECK(bounds({ActivationKind::kNone, 0, 0}, 4).low == -128);
  CHECK(bounds({ActivationKind::kRelu, 0, 0}, 4).low == 0);
  CHECK(bounds({ActivationKind::kRelu, 0, 0}, 4).high == 127);
  CHECK(bounds({ActivationKind::kClip, 0, 6}, 4).high == 96);
  CHECK(bounds({ActivationKind::kClip, 0, 6}, 5).high == 127);
  CHECK(bounds({ActivationKind::kClip, -1, 1}, 3).low == -8);
  CHECK(bounds({ActivationKind::kClip, 0, 2.5f}, 0).high == 3);
  CHECK(bounds({ActivationKind::kClip, 0, 2.5f}, 0, Rounding::kFloor).high == 3);
  CHECK(bounds({ActivationKind::kClip, 0, 2.5f}, 0, Rounding::kHalfEven).high == 2);
  CHECK_FALSE(has_bounds(ActivationKind::kLeakyRelu));
}

TEST_CASE("A wide output is the accumulator, rounded only if f32 cannot represent it") {
  CHECK(widen(12345678, 4) == 12345678.0f / 16);
  CHECK(widen((1 << 24) + 1, 0) == static_cast<float>(1 << 24));
  CHECK(widen(kMin32, 96) == -std::ldexp(1.0f, 31 - 96));
}

}  // namespace nestrt::kernels::s8
