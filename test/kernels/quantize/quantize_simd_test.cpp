// SPDX-License-Identifier: Apache-2.0
// Compares quantize.simd with the reference bit for bit, for every exponent and for values at and near all rounding
// boundaries.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

void check_quantize(const std::vector<float>& values, int exponent, ops::Rounding rounding) {
  ops::Quantize table;
  table.rounding = rounding;
  OperatorCase c(table);
  const Shape shape{static_cast<int64_t>(values.size())};
  c.input(tensor(shape, values)).output_s8(shape, exponent);
  INFO("exponent " << exponent << ", " << ops::name(rounding));
  check_exact(c, reference(c)[0], "quantize.simd");
}

// Returns values near the boundaries between two results, and values at the limits of f32.
std::vector<float> borders(int exponent) {
  using Limits = std::numeric_limits<float>;
  constexpr float kInfinity = Limits::infinity();
  std::vector<float> values = {0.0f,          -0.0f,          Limits::denorm_min(), -Limits::denorm_min(),
                               Limits::min(), -Limits::min(), Limits::max(),        Limits::lowest(),
                               kInfinity,     -kInfinity,     Limits::quiet_NaN()};
  for (int half = -260; half <= 260; ++half) {
    const float value = std::ldexp(static_cast<float>(half), -exponent - 1);
    for (float toward : {-kInfinity, kInfinity}) values.push_back(std::nextafterf(value, toward));
    values.push_back(value);
  }
  return values;
}

}  // namespace

TEST_CASE("quantize.simd rounds like the reference at every border") {
  std::mt19937 generator(1);
  const int step = by_level(16, 4, 1);
  for (int exponent = -64; exponent <= 64; exponent += step)
    for (ops::Rounding rounding : {ops::Rounding::kHalfUp, ops::Rounding::kFloor, ops::Rounding::kHalfEven}) {
      check_quantize(borders(exponent), exponent, rounding);
      const float range = std::ldexp(200.0f, -exponent);
      check_quantize(random_tensor(generator, {501}, -range, range).values<float>(), exponent, rounding);
    }
}

TEST_CASE("quantize.simd to a scale rounds like the reference at every border") {
  std::mt19937 generator(1);
  for (const float scale : {0.1f, 0.5f, 3.7e-5f, 1e30f, 1e-30f}) {
    for (const int zero_point : {-128, 0, 127}) {
      std::vector<float> values = random_tensor(generator, {501}, -200 * scale, 200 * scale).values<float>();
      for (float border : borders(0)) values.push_back(border * scale);
      OperatorCase c{ops::Quantize()};
      const Shape shape{static_cast<int64_t>(values.size())};
      c.input(tensor(shape, values)).output_s8c(shape, scale, zero_point);
      check_exact(c, reference(c)[0], "quantize.simd");
    }
  }
}

}  // namespace nestrt::test
