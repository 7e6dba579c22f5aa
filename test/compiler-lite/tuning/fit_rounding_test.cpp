// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/fit_rounding.h"

#include <catch2/catch.hpp>
#include <random>

#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::compiler {
namespace {

PatchMatrix random_matrix(Eigen::Index rows, Eigen::Index columns, uint32_t seed, float mean = 0) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> elements(mean, 1);
  PatchMatrix result(rows, columns);
  for (Eigen::Index row = 0; row < rows; ++row)
    for (Eigen::Index column = 0; column < columns; ++column) result(row, column) = elements(generator);
  return result;
}

PatchMatrix rounded_to_nearest(const PatchMatrix& weights, int exponent) {
  return weights.unaryExpr(
      [&](float weight) { return kernels::s8::dequantize(kernels::s8::quantize(weight, exponent), exponent); });
}

double error_of(const PatchMatrix& weights, const Eigen::VectorXf& bias, const PatchMatrix& expected,
                const PatchMatrix& actual, const PatchMatrix& f32) {
  const PatchMatrix difference = (actual * weights.transpose()).rowwise() + bias.transpose();
  return (difference - expected * f32.transpose()).squaredNorm();
}

TEST_CASE("Fitted weights are adjacent to the f32 weights, and outputs are closer than with rounding to nearest") {
  const PatchMatrix weights = random_matrix(5, 24, 1) * 0.4F;
  const PatchMatrix base = random_matrix(400, 24, 2, 0.5F);
  // Correlated inputs, in which the rounding errors of several weights can cancel.
  const PatchMatrix expected = base + base.rowwise().reverse();
  PatchMatrix actual = expected;
  SECTION("with exact inputs") {}
  SECTION("with wrong inputs") { actual += random_matrix(400, 24, 3, 0.1F) * 0.2F; }
  const std::vector<int> exponents(5, 3);
  const FittedProduct fitted = fit_rounding(weights, exponents, expected, actual);
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const float steps = std::ldexp(fitted.weights.data()[i], 3);
    CHECK(steps == std::floor(steps));
    CHECK(std::abs(fitted.weights.data()[i] - weights.data()[i]) < 0.125F);
  }
  const PatchMatrix nearest = rounded_to_nearest(weights, 3);
  const Eigen::VectorXf none = Eigen::VectorXf::Zero(5);
  CHECK(error_of(fitted.weights, fitted.bias_change, expected, actual, weights) <
        0.8 * error_of(nearest, none, expected, actual, weights));
}

TEST_CASE("Weights that 8 bits represent exactly stay unchanged if the inputs are exact") {
  const PatchMatrix weights = rounded_to_nearest(random_matrix(3, 8, 4), 5);
  const PatchMatrix inputs = random_matrix(50, 8, 5);
  const FittedProduct fitted = fit_rounding(weights, std::vector<int>(3, 5), inputs, inputs);
  CHECK(fitted.weights == weights);
  CHECK(fitted.bias_change.cwiseAbs().maxCoeff() < 1e-5F);
}

TEST_CASE("Weights beyond 8 bits are clipped, and with all-zero inputs weights are rounded to nearest") {
  PatchMatrix weights(1, 2);
  weights << 300, -0.3F;
  const PatchMatrix zeros = PatchMatrix::Zero(4, 2);
  const FittedProduct fitted = fit_rounding(weights, std::vector<int>(1, 0), zeros, zeros);
  CHECK(fitted.weights(0, 0) == 127);
  CHECK(fitted.weights(0, 1) == 0);
  CHECK(fitted.bias_change(0) == 0);
}

}  // namespace
}  // namespace nestrt::compiler
