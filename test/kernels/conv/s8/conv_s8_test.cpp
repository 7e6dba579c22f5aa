// SPDX-License-Identifier: Apache-2.0
// Tests Conv of s8 tensors. Compares the reference with sums computed from the definition, and checks what the rules
// reject.
#include <catch2/catch.hpp>

#include "kernels/common/quantization/s8_arithmetic.h"
#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

namespace s8 = kernels::s8;

ops::Conv pointwise() {
  ops::Conv conv;
  conv.kernel = conv.stride = conv.dilation = {1, 1};
  conv.pad_begin = conv.pad_end = {0, 0};
  return conv;
}

ops::Conv square3() {
  ops::Conv conv = pointwise();
  conv.kernel = {3, 3};
  conv.pad_begin = conv.pad_end = {1, 1};
  return conv;
}

// Returns a case with one pixel and two input and output channels. The accumulators are 3 * 5 - 2 * 7 + 1 = 2 and 3 *
// -4 - 2 * 6 + 100 = 76.
OperatorCase small(const ops::Conv& conv, const std::vector<int>& weight_exponents = {5, 6}) {
  OperatorCase c(conv);
  c.input(with_exponent(tensor_s8({1, 2, 1, 1}, {3, -2}), 4));
  c.input(as_constant(with_exponents(tensor_s8({2, 2, 1, 1}, {5, 7, -4, 6}), weight_exponents, 0)));
  c.input(as_constant(tensor({2}, std::vector<int32_t>{1, 100})));
  return c;
}

std::vector<int8_t> outputs(const OperatorCase& c) { return reference(c)[0].values<int8_t>(); }

}  // namespace

TEST_CASE("An s8 convolution shifts each channel's accumulator to the output's exponent") {
  OperatorCase c = small(pointwise());
  c.output_s8({1, 2, 1, 1}, 7);
  CHECK(infer_error(c).empty());
  CHECK(outputs(c) == std::vector<int8_t>{1, 10});  // (2 + 2) >> 2, (76 + 4) >> 3
  ops::Conv floor = pointwise();
  floor.rounding = ops::Rounding::kFloor;
  OperatorCase d = small(floor);
  d.output_s8({1, 2, 1, 1}, 7);
  CHECK(outputs(d) == std::vector<int8_t>{0, 9});
}

TEST_CASE("An s8 convolution clips to the bounds of its activation") {
  ops::Conv conv = pointwise();
  conv.activation = {ops::ActivationKind::kClip, -1.0f, 0.05f};
  OperatorCase c = small(conv);
  c.output_s8({1, 2, 1, 1}, 7);
  CHECK(outputs(c) == std::vector<int8_t>{1, 6});  // 0.05 * 128 = 6.4
}

TEST_CASE("A wide s8 convolution returns its accumulators as f32") {
  ops::Conv conv = pointwise();
  conv.wide_output = true;
  OperatorCase c = small(conv);
  c.output(DataType::kF32, {1, 2, 1, 1});
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<float>() == std::vector<float>{2.0f / 512, 76.0f / 1024});
}

TEST_CASE("An s8 convolution with a residual is bit-identical to a convolution and an addition") {
  std::mt19937 generator(7);
  for (ops::Rounding rounding : {ops::Rounding::kHalfUp, ops::Rounding::kFloor, ops::Rounding::kHalfEven}) {
    ops::Conv conv = square3();
    conv.rounding = rounding;
    const TestTensor x = with_exponent(random_s8(generator, {2, 5, 4, 3}), 3);
    const TestTensor weights = as_constant(with_exponents(random_s8(generator, {3, 5, 3, 3}), {9, 10, 8}, 0));
    const TestTensor residual = with_exponent(random_s8(generator, {2, 3, 4, 3}), 6);
    OperatorCase first(conv);
    first.input(x).input(weights).output_s8({2, 3, 4, 3}, 2);
    ops::Binary add;
    add.rounding = rounding;
    add.activation = {ops::ActivationKind::kRelu};
    OperatorCase second(add);
    second.input(with_exponent(reference(first)[0], 2)).input(residual).output_s8({2, 3, 4, 3}, 1);

    conv.inner_exponent = 2;
    conv.activation = {ops::ActivationKind::kRelu};
    OperatorCase fused(conv);
    fused.input(x).input(weights).input(absent()).input(residual).output_s8({2, 3, 4, 3}, 1);
    CHECK(infer_error(fused).empty());
    CHECK(outputs(fused) == outputs(second));
  }
}

TEST_CASE("An s8 convolution handles groups, strides and padding like an f32 one") {
  std::mt19937 generator(11);
  ops::Conv conv = square3();
  conv.stride = {2, 1};
  conv.dilation = {1, 2};
  conv.group = 2;
  conv.wide_output = true;
  const TestTensor x = random_s8(generator, {1, 4, 7, 6}), weights = random_s8(generator, {6, 2, 3, 3});
  OperatorCase c(conv);
  c.input(with_exponent(x, 0)).input(as_constant(with_exponent(weights, 0))).output(DataType::kF32, {1, 6, 4, 4});
  const auto real = [](const TestTensor& t) {
    const std::vector<int8_t> values = t.values<int8_t>();
    return tensor(t.shape, std::vector<float>(values.begin(), values.end()));
  };
  conv.wide_output = false;
  OperatorCase f32(conv);
  f32.input(real(x)).input(as_constant(real(weights))).output(DataType::kF32, {1, 6, 4, 4});
  CHECK(reference(c)[0].values<float>() == reference(f32)[0].values<float>());  // small integers are exact in f32
}

TEST_CASE("An s8 convolution without usable exponents is rejected") {
  const auto refused = [](OperatorCase c, int output_exponent) {
    c.output_s8({1, 2, 1, 1}, output_exponent);
    return infer_error(c);
  };
  CHECK_THAT(refused(small(pointwise()), 11), Catch::Contains("the shift must be 0 to 31"));
  CHECK_THAT(refused(small(pointwise()), -25), Catch::Contains("the shift must be 0 to 31"));
  CHECK_THAT(refused(small(pointwise(), {5, 6, 7}), 7), Catch::Contains("the weights has 3 exponents along axis 0"));
  OperatorCase plain(pointwise());
  plain.input(tensor_s8({1, 1, 1, 1}, {1})).input(as_constant(with_exponent(tensor_s8({1, 1, 1, 1}, {1}), 0)));
  plain.output_s8({1, 1, 1, 1}, 0);
  CHECK_THAT(infer_error(plain), Catch::Contains("the input is s8 but has no quantization"));
  OperatorCase variable(pointwise());
  variable.input(with_exponent(tensor_s8({1, 1, 1, 1}, {1}), 0)).input(with_exponent(tensor_s8({1, 1, 1, 1}, {1}), 0));
  variable.output_s8({1, 1, 1, 1}, 0);
  CHECK_THAT(infer_error(variable), Catch::Contains("weights must be constant"));
  ops::Conv sigmoid = pointwise();
  sigmoid.activation = {ops::ActivationKind::kSigmoid};
  CHECK_THAT(refused(small(sigmoid), 7), Catch::Contains("activation sigmoid has no s8 form"));
}

}  // namespace nestrt::test
