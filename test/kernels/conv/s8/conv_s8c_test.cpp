// SPDX-License-Identifier: Apache-2.0
// Tests Conv of s8 tensors with scales and zero points. Compares the reference with sums of the float kernel, which are
// exact because the numbers are small.
#include <catch2/catch.hpp>
#include <cmath>

#include "kernels/common/quantization/s8c_arithmetic.h"
#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

namespace s8c = kernels::s8c;

ops::Conv square(int size, int pad, int group = 1) {
  ops::Conv conv;
  conv.kernel = {size, size};
  conv.stride = conv.dilation = {1, 1};
  conv.pad_begin = conv.pad_end = {pad, pad};
  conv.group = group;
  return conv;
}

// Returns the elements minus the zero point, as floats of the same shape.
TestTensor steps(const TestTensor& integers, int zero_point) {
  std::vector<float> values;
  for (int8_t q : integers.values<int8_t>()) values.push_back(static_cast<float>(q - zero_point));
  return tensor(integers.shape, values);
}

// Returns a case with one pixel, two input and output channels, and zero point -3. The accumulators are 6 * 5 + 1 * 7 +
// 1 = 38 and 6 * -4 + 1 * 6 + 100 = 82.
OperatorCase small_s8c(const ops::Conv& conv) {
  OperatorCase c(conv);
  c.input(with_scale(tensor_s8({1, 2, 1, 1}, {3, -2}), 0.5f, -3));
  c.input(as_constant(with_scales(tensor_s8({2, 2, 1, 1}, {5, 7, -4, 6}), {0.25f, 0.5f}, 0)));
  c.input(as_constant(tensor({2}, std::vector<int32_t>{1, 100})));
  return c;
}

}  // namespace

TEST_CASE("A convolution with scales multiplies each channel's accumulator and adds the zero point") {
  OperatorCase c = small_s8c(square(1, 0));
  c.output_s8c({1, 2, 1, 1}, 2.0f, 10);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{12, 20});  // 38 / 16 = 2.4, 82 / 8 = 10.25
}

TEST_CASE("A wide convolution with scales returns its accumulators as f32") {
  ops::Conv conv = square(1, 0);
  conv.wide_output = true;
  OperatorCase c = small_s8c(conv);
  c.output(DataType::kF32, {1, 2, 1, 1});
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<float>() == std::vector<float>{38.0f / 8, 82.0f / 4});
}

TEST_CASE("Activations of a convolution with scales clip at zero and at their limits") {
  ops::Conv conv = square(1, 0);
  conv.activation = {ops::ActivationKind::kClip, 5.0f, 6.0f};
  OperatorCase c = small_s8c(conv);
  c.output_s8c({1, 2, 1, 1}, 0.5f, 10);  // 10 + 9.5 and 10 + 41, limited to 10 + [10, 12]
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{20, 22});
}

TEST_CASE("Convolutions with scales subtract the zero point of inputs and ignore padding") {
  std::mt19937 generator(11);
  for (const int group : {1, 2, 6}) {
    const int zero = 57, output_zero = -31;
    const ops::Conv conv = square(3, 1, group);
    const TestTensor x = random_s8(generator, {2, 6, 5, 4});
    const TestTensor weights = random_s8(generator, {6, 6 / group, 3, 3});
    const std::vector<float> scales = {0.01f, 0.02f, 0.005f, 0.011f, 0.5f, 0.03f};
    OperatorCase c(conv), sums(conv);
    c.input(with_scale(x, 0.3f, zero)).input(as_constant(with_scales(weights, scales, 0)));
    c.output_s8c({2, 6, 5, 4}, 4.7f, output_zero);
    CHECK(infer_error(c).empty());
    sums.input(steps(x, zero)).input(as_constant(steps(weights, 0))).output(DataType::kF32, {2, 6, 5, 4});
    const std::vector<float> exact = reference(sums)[0].values<float>();
    const std::vector<int8_t> actual = reference(c)[0].values<int8_t>();
    for (size_t i = 0; i < exact.size(); ++i) {
      const float multiplier = s8c::multiplier(0.3f, scales[i / 20 % 6], 4.7f);
      REQUIRE(actual[i] == s8c::narrow(static_cast<int32_t>(exact[i]), multiplier, output_zero));
    }
  }
}

TEST_CASE("A convolution with scales rejects a residual, zero points of weights and infinite factors") {
  const TestTensor x = with_scale(tensor_s8({1, 1, 1, 1}, {1}), 1.0f, 0);
  const TestTensor weights = tensor_s8({1, 1, 1, 1}, {1});
  OperatorCase residual{square(1, 0)};
  residual.input(x).input(as_constant(with_scale(weights, 1.0f, 0))).input(absent()).input(x);
  residual.output_s8c({1, 1, 1, 1}, 1.0f, 0);
  CHECK_THAT(infer_error(residual), Catch::Contains("a residual is not supported for tensors with scales"));
  OperatorCase asymmetric{square(1, 0)};
  asymmetric.input(x).input(as_constant(with_scale(weights, 1.0f, 3))).output_s8c({1, 1, 1, 1}, 1.0f, 0);
  CHECK_THAT(infer_error(asymmetric), Catch::Contains("the weights have zero point 3"));
  OperatorCase infinite{square(1, 0)};
  infinite.input(x).input(as_constant(with_scale(weights, 1e30f, 0))).output_s8c({1, 1, 1, 1}, 1e-30f, 0);
  CHECK_THAT(infer_error(infinite), Catch::Contains("a factor that is not finite"));
  OperatorCase outside{square(1, 0)};
  outside.input(with_scale(x, 1.0f, 128)).input(as_constant(with_scale(weights, 1.0f, 0)));
  outside.output_s8c({1, 1, 1, 1}, 1.0f, 0);
  CHECK_THAT(infer_error(outside), Catch::Contains("zero point 128, which is outside the range of s8"));
}

}  // namespace nestrt::test
