// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/math/activation.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "test/kernels/common/math/activation_test.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/activation-inl.h"
#include "kernels/common/simd/simd.h"
#include "test/support/kernel/float_values.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

void map_exp(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_exp(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_exp_nonpositive(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_exp_nonpositive(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_exp_minus_one(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_exp_minus_one(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_tanh(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_tanh(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_sigmoid(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_sigmoid(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_erf(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_erf(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_log(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_log_positive(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_any_log(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_log(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_log1p_unit(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_log1p_unit(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_sin(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_sine(d, hn::LoadU(d, x + i), 0), d, y + i);
}
void map_cos(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_sine(d, hn::LoadU(d, x + i), 1), d, y + i);
}
void map_tan(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_tan(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_atan(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_atan(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_asin(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_asin(d, hn::LoadU(d, x + i)), d, y + i);
}
void map_acos(const float* x, float* y, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(simd_acos(d, hn::LoadU(d, x + i)), d, y + i);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(map_exp)
NESTRT_SIMD_EXPORT(map_exp_nonpositive)
NESTRT_SIMD_EXPORT(map_exp_minus_one)
NESTRT_SIMD_EXPORT(map_tanh)
NESTRT_SIMD_EXPORT(map_sigmoid)
NESTRT_SIMD_EXPORT(map_erf)
NESTRT_SIMD_EXPORT(map_log)
NESTRT_SIMD_EXPORT(map_any_log)
NESTRT_SIMD_EXPORT(map_log1p_unit)
NESTRT_SIMD_EXPORT(map_sin)
NESTRT_SIMD_EXPORT(map_cos)
NESTRT_SIMD_EXPORT(map_tan)
NESTRT_SIMD_EXPORT(map_atan)
NESTRT_SIMD_EXPORT(map_asin)
NESTRT_SIMD_EXPORT(map_acos)
NESTRT_SIMD_EXPORT(map_activation)

namespace {

using test::kInf, test::kNan;

// Returns geometric steps from 1e-42 to 1e3 with both signs, and special values. The number of values is a multiple of
// 16.
std::vector<float> arguments() {
  std::vector<float> values = {0.0f,   -0.0f,  kInf,   -kInf, kNan, 3e38f, -3e38f, 1e-45f,
                               88.72f, -87.4f, 0.625f, 1,     -1,   2,     89,     -104};
  for (double x = 1e-42; x < 1e3; x *= 1.003)
    values.insert(values.end(), {static_cast<float>(x), static_cast<float>(-x)});
  values.resize(values.size() / 16 * 16);
  return values;
}

// Returns the largest relative error. For results below 1e-30 (such as denormals), the error is relative to 1e-30.
double worst_error(const std::vector<float>& x, const std::vector<float>& y, double (*expected)(double)) {
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = expected(x[i]);
    const float rounded = static_cast<float>(want);
    if (rounded == y[i] || (std::isnan(want) && std::isnan(y[i]))) continue;
    const double error = std::abs(y[i] - want) / std::max(1e-30, std::abs(want));
    if (!(error < 1)) UNSCOPED_INFO("at " << x[i] << ": " << y[i] << " instead of " << want);
    worst = std::isnan(error) ? kInf : std::max(worst, error);
  }
  return worst;
}

template <typename Table>
void check_function(const Table& table, const std::vector<float>& x, double (*expected)(double), double tolerance) {
  const InstructionSet before = current_instruction_set();
  for (InstructionSet set : supported_instruction_sets()) {
    REQUIRE(force_instruction_set(set));
    std::vector<float> y(x.size());
    simd_pick(table)(x.data(), y.data(), x.size());
    INFO("on " << name(set));
    CHECK(worst_error(x, y, expected) <= tolerance);
  }
  force_instruction_set(before);
}

}  // namespace

TEST_CASE("Vector exp, expm1, tanh, sigmoid and erf agree with double precision") {
  const std::vector<float> x = arguments();
  check_function(
      map_exp_table, x, [](double v) { return std::exp(v); }, 2e-7);
  check_function(
      map_exp_minus_one_table, x, [](double v) { return std::expm1(v); }, 1e-6);
  check_function(
      map_tanh_table, x, [](double v) { return std::tanh(v); }, 2e-7);
  check_function(
      map_sigmoid_table, x, [](double v) { return 1 / (1 + std::exp(-v)); }, 3e-7);
  check_function(
      map_erf_table, x, [](double v) { return std::erf(v); }, 2e-7);
}

TEST_CASE("Vector exp of numbers up to zero is accurate and flushes denormals to zero") {
  std::vector<float> x = {0.0f, -0.0f, -kInf, kNan, -3e38f, -1e9f, -88, -1e-45f};
  for (double v = 1e-40; v < 87; v *= 1.003) x.push_back(static_cast<float>(-v));
  x.resize(x.size() / 16 * 16);
  // Denormals may become 0, because worst_error() is relative to at least 1e-30.
  check_function(
      map_exp_nonpositive_table, x, [](double v) { return std::exp(v); }, 2e-7);
}

TEST_CASE("Vector log agrees with double precision") {
  std::vector<float> x;
  for (double v = 1e-37; v < 1e38; v *= 1.01) x.push_back(static_cast<float>(v));
  x.resize(x.size() / 16 * 16);
  check_function(
      map_log_table, x, [](double v) { return std::log(v); }, 2e-7);
}

TEST_CASE("Vector log of any number agrees with double precision") {
  check_function(
      map_any_log_table, arguments(), [](double v) { return std::log(v); }, 2e-7);
  std::vector<float> unit;
  for (double v = 1e-40; v < 1; v *= 1.01) unit.push_back(static_cast<float>(v));
  unit.resize(unit.size() / 16 * 16);
  check_function(
      map_log1p_unit_table, unit, [](double v) { return std::log1p(v); }, 2e-7);
}

TEST_CASE("Vector trigonometric functions agree with double precision") {
  std::vector<float> angles;
  for (double v = 1e-5; v < 8192; v *= 1.001)
    angles.insert(angles.end(), {static_cast<float>(v), static_cast<float>(-v)});
  angles.resize(angles.size() / 16 * 16);
  check_function(
      map_tan_table, angles, [](double v) { return std::tan(v); }, 1e-6);
  check_function(
      map_sin_table, angles, [](double v) { return std::sin(v); }, 1e-6);
  check_function(
      map_cos_table, angles, [](double v) { return std::cos(v); }, 1e-6);
}

TEST_CASE("Vector inverse trigonometric functions agree with double precision") {
  check_function(
      map_atan_table, arguments(), [](double v) { return std::atan(v); }, 3e-7);
  check_function(
      map_asin_table, arguments(), [](double v) { return std::asin(v); }, 3e-7);
  check_function(
      map_acos_table, arguments(), [](double v) { return std::acos(v); }, 3e-7);
}

TEST_CASE("Vector activations agree with their definitions") {
  const std::vector<float> x = arguments();
  const InstructionSet before = current_instruction_set();
  for (int kind = 0; !ops::name(static_cast<ops::ActivationKind>(kind)).empty(); ++kind) {
    const Activation activation{static_cast<ops::ActivationKind>(kind), 0.25f, 0.75f};
    for (InstructionSet set : supported_instruction_sets()) {
      REQUIRE(force_instruction_set(set));
      std::vector<float> y(x.size());
      simd_pick(map_activation_table)(activation, x.data(), y.data(), static_cast<int64_t>(x.size()));
      double worst = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const float want = apply_activation(activation, x[i]);
        if (y[i] == want || (std::isnan(y[i]) && std::isnan(want))) continue;
        const double error = std::abs(static_cast<double>(y[i]) - want) / std::max(1.0f, std::abs(want));
        worst = std::isnan(error) ? kInf : std::max(worst, error);
      }
      INFO(ops::name(activation.kind) << " on " << name(set));
      CHECK(worst <= 3e-7);
    }
  }
  force_instruction_set(before);
}

}  // namespace nestrt::kernels
#endif
