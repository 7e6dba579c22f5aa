// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

// Returns a case whose accumulators are 2 * 3 - 5 * 4 + 10 = -4 and 2 * -6 - 5 * 7 + 20 = -27.
OperatorCase small(const ops::Dense& dense) {
  OperatorCase c(dense);
  c.input(with_exponent(tensor_s8({1, 2}, {2, -5}), 3));
  c.input(as_constant(with_exponents(tensor_s8({2, 2}, {3, -6, 4, 7}), {4, 5}, 1)));
  c.input(as_constant(tensor({2}, std::vector<int32_t>{10, 20})));
  return c;
}

}  // namespace

TEST_CASE("An s8 Dense shifts each column's accumulator to the output's exponent") {
  ops::Dense dense;
  OperatorCase c = small(dense);
  c.output_s8({1, 2}, 6);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{-2, -7});  // -4 / 2, -27 / 4 half up
  dense.activation = {ops::ActivationKind::kRelu};
  OperatorCase relu = small(dense);
  relu.output_s8({1, 2}, 6);
  CHECK(reference(relu)[0].values<int8_t>() == std::vector<int8_t>{0, 0});
}

TEST_CASE("A wide s8 Dense returns its accumulators as f32") {
  ops::Dense dense;
  dense.wide_output = true;
  OperatorCase c = small(dense);
  c.output(DataType::kF32, {1, 2});
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<float>() == std::vector<float>{-4.0f / 128, -27.0f / 256});
}

TEST_CASE("An s8 Dense rejects mixed types and exponents along another axis") {
  OperatorCase mixed{ops::Dense()};
  mixed.input(with_exponent(tensor_s8({1, 1}, {1}), 0)).input(as_constant(tensor_f32({1, 1}, {1})));
  mixed.output_s8({1, 1}, 0);
  CHECK_THAT(infer_error(mixed), Catch::Contains("weights is f32, expected s8"));
  OperatorCase axis{ops::Dense()};
  axis.input(with_exponent(tensor_s8({1, 2}, {1, 1}), 0));
  axis.input(as_constant(with_exponents(tensor_s8({2, 2}, {1, 1, 1, 1}), {1, 2}, 0))).output_s8({1, 2}, 0);
  CHECK_THAT(infer_error(axis), Catch::Contains("the weights has 2 exponents along axis 0"));
}

TEST_CASE("A Dense with scales multiplies each column's accumulator and adds the zero point") {
  OperatorCase c{ops::Dense()};
  c.input(with_scale(tensor_s8({1, 2}, {2, -5}), 0.5f, -10));  // 12 and 5 after subtracting the zero point
  c.input(as_constant(with_scales(tensor_s8({2, 2}, {3, -6, 4, 7}), {0.25f, 0.5f}, 1)));
  c.input(as_constant(tensor({2}, std::vector<int32_t>{10, 20})));
  c.output_s8c({1, 2}, 0.5f, 100);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{116, 92});  // 66 / 4 = 16.5 to even, -17 / 2 = -8.5
  ops::Dense wide;
  wide.wide_output = true;
  OperatorCase d(wide);
  d.input(with_scale(tensor_s8({1, 2}, {2, -5}), 0.5f, -10));
  d.input(as_constant(with_scale(tensor_s8({2, 1}, {3, 4}), 0.25f, 0))).output(DataType::kF32, {1, 1});
  CHECK(reference(d)[0].values<float>() == std::vector<float>{56.0f / 8});
}

}  // namespace nestrt::test
