// SPDX-License-Identifier: Apache-2.0
// Compares fast sums of s8 tensors with scales with exact arithmetic, for all pairs of elements.
#include "kernels/binary/exact_sum.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

namespace s8c = kernels::s8c;

struct SumScales {
  std::array<float, 3> scales;  // of a, b and the result
  std::array<int, 3> zero_points;
};

OperatorCase all_pairs(ops::BinaryKind kind, const SumScales& sum) {
  std::vector<int> a, b;
  for (int i = -128; i < 128; ++i)
    for (int k = -128; k < 128; ++k) a.push_back(i), b.push_back(k);
  ops::Binary table;
  table.kind = kind;
  OperatorCase c(table);
  c.input(with_scale(tensor_s8({256, 256}, a), sum.scales[0], sum.zero_points[0]));
  c.input(with_scale(tensor_s8({256, 256}, b), sum.scales[1], sum.zero_points[1]));
  c.output_s8c({256, 256}, sum.scales[2], sum.zero_points[2]);
  return c;
}

s8c::BinaryFactors factors_of(const OperatorCase& c) {
  s8c::BinaryFactors factors;
  c.with_spec([&](const OperatorSpec& spec) { factors = *s8c::binary_factors(spec); });
  return factors;
}

SumScales random_scales(std::mt19937& generator) {
  std::uniform_real_distribution<float> exponent(-4, 4);
  std::uniform_int_distribution<int> zero_point(-128, 127);
  const auto scale = [&] { return std::exp2(exponent(generator)); };
  const auto zero = [&] { return generator() % 2 == 0 ? 0 : zero_point(generator); };
  return {{scale(), scale(), scale()}, {zero(), zero(), zero()}};
}

// Ties between factors that have no finite binary form, ties that have one, and extreme ratios.
const SumScales kSpecialScales[] = {
    {{5, 1, 6}, {0, 0, 0}},        {{1, 1, 2}, {0, 3, -7}},     {{0.1f, 0.1f, 0.2f}, {-128, 0, 127}},
    {{1, 3, 12}, {127, -128, 0}},  {{1, 1, 1}, {0, 0, 0}},      {{0.5f, 0.25f, 1}, {0, 0, 0}},
    {{1e6f, 1e6f, 1}, {5, -5, 0}}, {{1, 1e-30f, 2}, {0, 0, 0}}, {{1e-20f, 1e-20f, 1e20f}, {0, 0, 9}},
    {{1, 1, 0x1p-20f}, {0, 0, 0}}, {{3, 7, 10}, {0, 0, 0}},     {{1.0000001f, 1, 2}, {0, 0, 0}},
};

}  // namespace

TEST_CASE("Fast sums of scaled s8 tensors are exact for all pairs of elements") {
  std::mt19937 generator(48);
  std::vector<SumScales> cases(std::begin(kSpecialScales), std::end(kSpecialScales));
  for (int i = 0; i < by_level(2, 60, 1000); ++i) cases.push_back(random_scales(generator));
  for (const SumScales& sum : cases)
    for (const ops::BinaryKind kind : {ops::BinaryKind::kAdd, ops::BinaryKind::kSub}) {
      INFO(ops::name(kind) << " of scales " << sum.scales[0] << ", " << sum.scales[1] << ", " << sum.scales[2]);
      const OperatorCase c = all_pairs(kind, sum);
      const TestTensor expected = reference(c)[0];
      check_exact(c, expected, "binary.s8.add");
      check_exact(c, expected, "binary.s8.scaled");
    }
}

TEST_CASE("Sums of scales from calibration have exact factors") {
  std::mt19937 generator(1);
  const int count = by_level(20, 300, 5000);
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const OperatorCase c = all_pairs(ops::BinaryKind::kAdd, random_scales(generator));
    found += kernels::find_exact_factors(factors_of(c)).has_value() ? 1 : 0;
  }
  CHECK(found >= count * 99 / 100);
}

TEST_CASE("Sums whose ties have no exact factors are looked up") {
  const OperatorCase c = all_pairs(ops::BinaryKind::kAdd, kSpecialScales[0]);
  CHECK(!kernels::find_exact_factors(factors_of(c)).has_value());
  const kernels::PairTable table(factors_of(c));
  const std::vector<int8_t> a(16, 3), b = {0, 1, 2, 3, 4, 5, 6, 7, -1, -2, -3, -4, -5, -6, -7, -8};
  std::vector<int8_t> y(16);
  table.look_up(a.data(), 0, b.data(), 16, y.data(), 16);
  CHECK(y == std::vector<int8_t>{2, 3, 3, 3, 3, 3, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1});  // (15 + b) / 6
}

}  // namespace nestrt::test
