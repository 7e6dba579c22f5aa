// SPDX-License-Identifier: Apache-2.0
// Compares binary.s8.add with the reference bit for bit.
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
  const auto scale = [&] { return std::exp2(static_cast<float>(draw(-900, 900)) / 100); };
  sum.a = with_scale(sum.a, scale(), draw(-128, 127));
  sum.b = with_scale(sum.b, scale(), draw(-128, 127));
  const float larger = std::max(sum.a.quantization->scales[0], sum.b.quantization->scales[0]);
  sum.scale = draw(0, 7) == 0 ? larger * 0x1p-18f : scale();
  sum.zero_point = draw(-128, 127);
  return sum;
}

}  // namespace

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
