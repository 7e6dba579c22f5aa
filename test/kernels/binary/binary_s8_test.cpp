// SPDX-License-Identifier: Apache-2.0
// Compares the fast kernels of s8 Binary with the reference bit for bit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

struct Sum {
  ops::Binary table;
  TestTensor a, b;
  int exponent = 0;
  float scale = 0;  // scale of the result; 0 if it has none
  int zero_point = 0;

  OperatorCase make(Layout layout) const {
    OperatorCase c(table);
    c.input(with_layout(a, layout)).input(with_layout(b, layout));
    if (scale > 0)
      c.output_s8c(a.shape, scale, zero_point, layout);
    else
      c.output_s8(a.shape, exponent, layout);
    return c;
  }
};

Sum random_sum(std::mt19937& generator) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  Sum sum;
  sum.table.kind = ops::BinaryKind::kAdd;
  sum.table.rounding = static_cast<ops::Rounding>(draw(0, 2));
  sum.table.activation = {static_cast<ops::ActivationKind>(draw(0, 2)), -0.5f, 6.0f};
  const Shape shape{draw(1, 2), draw(1, 40), draw(1, 7), draw(1, 7)};
  const int exponent = draw(-4, 8), spread = draw(0, 3) == 0 ? 20 : 4;
  const int other = exponent + draw(-spread, spread);
  sum.a = with_exponent(random_s8(generator, shape), exponent);
  sum.b = with_exponent(random_s8(generator, shape), other);
  sum.exponent = std::max(exponent, other) - draw(0, draw(0, 3) == 0 ? 31 : 6);
  if (draw(0, 1) == 0) return sum;
  if (draw(0, 2) == 0) sum.table.kind = ops::BinaryKind::kSub;
  if (draw(0, 1) == 0) sum.table.rounding = ops::Rounding::kHalfUpScaled;
  const auto scale = [&] { return std::exp2(static_cast<float>(draw(-900, 900)) / 100); };
  sum.a = with_scale(sum.a, scale(), draw(-128, 127));
  sum.b = with_scale(sum.b, scale(), draw(-128, 127));
  const float larger = std::max(sum.a.quantization->scales[0], sum.b.quantization->scales[0]);
  sum.scale = draw(0, 7) == 0 ? larger * 0x1p-18f : scale();
  sum.zero_point = draw(-128, 127);
  return sum;
}

// The shapes and layouts of the operands of an operator with scales.
struct ScaledOperands {
  Shape a, b;
  Layout layout_a = Layout::kPlain, layout_b = Layout::kPlain, layout_y = Layout::kPlain;
};

// Draws an operator with random values, scales and zero points.
Sum random_scaled(std::mt19937& generator, ops::BinaryKind kind, const ScaledOperands& operands) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  const auto scale = [&] { return std::exp2(static_cast<float>(draw(-500, 300)) / 100); };
  const bool is_selection = kind == ops::BinaryKind::kMin || kind == ops::BinaryKind::kMax;
  Sum sum;
  sum.table.kind = kind;
  sum.table.rounding = draw(0, 1) == 0 ? ops::Rounding::kHalfUp : ops::Rounding::kHalfUpScaled;
  sum.table.activation = {static_cast<ops::ActivationKind>(draw(0, 2)), -0.5f, 6.0f};
  sum.scale = scale();
  sum.zero_point = draw(-128, 127);
  sum.a = with_scale(random_s8(generator, operands.a), is_selection ? sum.scale : scale(),
                     is_selection ? sum.zero_point : draw(-128, 127));
  sum.b = with_scale(random_s8(generator, operands.b), is_selection ? sum.scale : scale(),
                     is_selection ? sum.zero_point : draw(-128, 127));
  return sum;
}

constexpr ops::BinaryKind kScaledKinds[] = {ops::BinaryKind::kAdd,   ops::BinaryKind::kSub, ops::BinaryKind::kMul,
                                            ops::BinaryKind::kPrelu, ops::BinaryKind::kMin, ops::BinaryKind::kMax};

void check_scaled(const Sum& sum, const ScaledOperands& operands, const Shape& result, bool b_is_constant) {
  const auto make = [&](Layout a, Layout b, Layout y) {
    OperatorCase c(sum.table);
    const TestTensor second = with_layout(sum.b, b);
    c.input(with_layout(sum.a, a)).input(b_is_constant ? as_constant(second) : second);
    c.output_s8c(result, sum.scale, sum.zero_point, y);
    return c;
  };
  const TestTensor expected = reference(make(Layout::kPlain, Layout::kPlain, Layout::kPlain))[0];
  check_exact(make(operands.layout_a, operands.layout_b, operands.layout_y), expected, "binary.s8.scaled");
}

}  // namespace

TEST_CASE("Vectorized arithmetic of s8 tensors with scales equals the reference") {
  constexpr Layout kPlain = Layout::kPlain, kBlocked = Layout::kBlocked16;
  std::mt19937 generator(2);
  for (int round = 0; round < by_level(1, 4, 60); ++round)
    for (const ops::BinaryKind kind : kScaledKinds)
      for (const ScaledOperands& operands : {ScaledOperands{{7}, {7}},
                                             {{3, 70}, {70}},
                                             {{2, 3, 5}, {1}},
                                             {{2, 35, 3, 5}, {2, 35, 3, 5}, kBlocked, kBlocked, kBlocked},
                                             {{2, 35, 3, 5}, {2, 35, 1, 1}, kBlocked, kBlocked, kBlocked},
                                             {{2, 16, 4, 4}, {1, 16, 1, 1}, kBlocked, kBlocked, kBlocked},
                                             {{2, 35, 3, 5}, {1}, kBlocked, kPlain, kBlocked},
                                             {{1, 35, 3, 5}, {35, 1, 1}, kBlocked, kPlain, kBlocked}}) {
        INFO(ops::name(kind) << " " << operands.a.to_string() << " " << operands.b.to_string());
        const bool is_constant = operands.b == Shape{35, 1, 1};
        check_scaled(random_scaled(generator, kind, operands), operands, operands.a, is_constant);
      }
}

TEST_CASE("Products of s8 tensors multiply once in f32 and round half to even") {
  Sum product;
  product.table.kind = ops::BinaryKind::kMul;
  product.a = with_scale(tensor_s8({4}, {2, 4, -4, 127}), 0.5f, 1);
  product.b = with_scale(tensor_s8({1}, {8}), 0.25f, -2);
  OperatorCase c(product.table);
  c.input(product.a).input(product.b).output_s8c({4}, 2.5f, -7);
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{-7, -5, -9, 56});
}

TEST_CASE("s8 Binary rejects kinds, roundings and scales that it does not support") {
  const auto error = [](ops::BinaryKind kind, ops::Rounding rounding, bool has_scales, float scale) {
    ops::Binary table;
    table.kind = kind;
    table.rounding = rounding;
    OperatorCase c(table);
    const TestTensor x = tensor_s8({2}, {1, 2});
    if (has_scales)
      c.input(with_scale(x, 0.5f, 0)).input(with_scale(x, 0.5f, 0)).output_s8c({2}, scale, 0);
    else
      c.input(with_exponent(x, 1)).input(with_exponent(x, 1)).output_s8({2}, 1);
    return infer_error(c);
  };
  const auto half_up = ops::Rounding::kHalfUp, scaled = ops::Rounding::kHalfUpScaled;
  CHECK(error(ops::BinaryKind::kAdd, scaled, true, 0.5f).empty());
  CHECK_THAT(error(ops::BinaryKind::kAdd, scaled, false, 0), Catch::Contains("rounding half_up_scaled"));
  CHECK_THAT(error(ops::BinaryKind::kMul, half_up, false, 0), Catch::Contains("requires tensors with scales"));
  CHECK_THAT(error(ops::BinaryKind::kDiv, half_up, true, 0.5f), Catch::Contains("does not support s8"));
  CHECK_THAT(error(ops::BinaryKind::kMul, half_up, true, 1e-45f), Catch::Contains("too fine"));
  CHECK_THAT(error(ops::BinaryKind::kSub, half_up, true, 1e-30f), Catch::Contains("too fine"));
  CHECK_THAT(error(ops::BinaryKind::kMax, half_up, true, 0.25f), Catch::Contains("insert a Requantize"));
}

TEST_CASE("Vectorized addition of s8 tensors equals the reference") {
  std::mt19937 generator(1);
  const int sums = by_level(40, 500, 10'000);
  for (int i = 0; i < sums; ++i) {
    const Sum sum = random_sum(generator);
    const TestTensor expected = reference(sum.make(Layout::kPlain))[0];
    check_exact(sum.make(Layout::kPlain), expected, "binary.s8.add");
    check_exact(sum.make(Layout::kBlocked16), expected, "binary.s8.add");
  }
}

}  // namespace nestrt::test
