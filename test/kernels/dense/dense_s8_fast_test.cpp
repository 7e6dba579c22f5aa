// SPDX-License-Identifier: Apache-2.0
// Compares every fast kernel of an s8 Dense with the reference bit for bit.
#include <catch2/catch.hpp>
#include <cmath>

#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

OperatorCase random_case(std::mt19937& generator) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  const int rows = draw(1, 20), inputs = draw(1, 100), outputs = draw(1, 70), input_exponent = draw(-3, 7);
  const int base = draw(-5, 8), spread = draw(0, 3) == 0 ? 31 : 10;
  ops::Dense dense;
  dense.rounding = static_cast<ops::Rounding>(draw(0, 2));
  dense.wide_output = draw(0, 3) == 0;
  std::vector<int> exponents(static_cast<size_t>(draw(0, 3) == 0 ? 1 : outputs));
  for (int& exponent : exponents) exponent = base + draw(0, spread);
  std::vector<int32_t> bias(static_cast<size_t>(outputs));
  for (int32_t& value : bias) value = draw(0, 9) == 0 ? static_cast<int32_t>(generator()) : draw(-9000, 9000);
  if (!dense.wide_output) dense.activation = {static_cast<ops::ActivationKind>(draw(0, 2)), -0.5f, 6.0f};
  OperatorCase c(dense);
  c.input(with_exponent(random_s8(generator, {rows, inputs}), input_exponent));
  const int axis = exponents.size() == 1 ? -1 : 1;
  c.input(as_constant(with_exponents(random_s8(generator, {inputs, outputs}), exponents, axis)));
  c.input(draw(0, 3) == 0 ? absent() : as_constant(tensor({outputs}, bias)));
  if (dense.wide_output)
    c.output(DataType::kF32, {rows, outputs});
  else
    c.output_s8({rows, outputs}, input_exponent + base);
  return c;
}

OperatorCase random_scaled_case(std::mt19937& generator) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  const auto scale = [&] { return std::exp2(static_cast<float>(draw(-900, -600)) / 100); };
  const int rows = draw(1, 20), inputs = draw(1, 100), outputs = draw(1, 70);
  ops::Dense dense;
  dense.wide_output = draw(0, 3) == 0;
  std::vector<float> scales(static_cast<size_t>(outputs));
  for (float& entry : scales) entry = scale();
  std::vector<int32_t> bias(static_cast<size_t>(outputs));
  for (int32_t& value : bias) value = draw(-90000, 90000);
  OperatorCase c(dense);
  c.input(with_scale(random_s8(generator, {rows, inputs}), scale(), draw(-128, 127)));
  c.input(as_constant(with_scales(random_s8(generator, {inputs, outputs}), scales, 1)));
  c.input(draw(0, 3) == 0 ? absent() : as_constant(tensor({outputs}, bias)));
  if (dense.wide_output)
    c.output(DataType::kF32, {rows, outputs});
  else
    c.output_s8c({rows, outputs}, scale() * 16, draw(-128, 127));
  return c;
}

}  // namespace

TEST_CASE("Every kernel of an s8 Dense equals the reference bit for bit") {
  std::mt19937 generator(1);
  bool panel = false;
  const int cases = by_level(40, 500, 10'000);
  for (int i = 0; i < cases; ++i) {
    const OperatorCase c = i % 2 == 0 ? random_case(generator) : random_scaled_case(generator);
    const TestTensor expected = reference(c)[0];
    for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      INFO(what);
      CHECK(outputs[0].bytes == expected.bytes);
      panel |= what.starts_with("dense.s8.panel");
    });
  }
  CHECK(panel);
}

}  // namespace nestrt::test
