// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/conv.h"

#include <catch2/catch.hpp>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

ops::Conv attributes(int rank, int kernel, int stride = 1, int pad = 0, int group = 1) {
  ops::Conv conv;
  const auto n = static_cast<size_t>(rank);
  conv.kernel.assign(n, kernel);
  conv.stride.assign(n, stride);
  conv.dilation.assign(n, 1);
  conv.pad_begin.assign(n, pad);
  conv.pad_end.assign(n, pad);
  conv.group = group;
  return conv;
}

Status infer_error(const ops::Conv& conv, const Shape& x, const Shape& weights, const Shape& bias = {4}) {
  OperatorCase c(conv);
  for (const Shape& shape : {x, weights, bias}) c.input(shape_only(shape));
  return c.infer().error();
}

}  // namespace

TEST_CASE("Conv sums products over the kernel's window") {
  OperatorCase c(attributes(2, 2, 1, 1));
  c.input(tensor_f32({1, 1, 2, 2}, {1, 2, 3, 4})).input(tensor_f32({1, 1, 2, 2}, {1, 10, 100, 1000}));
  c.output(DataType::kF32, {1, 1, 3, 3});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 1, 3, 3});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1000, 2100, 200, 3010, 4321, 402, 30, 43, 4});
}

TEST_CASE("Conv honours stride, dilation, groups, bias, residual and activation") {
  ops::Conv conv = attributes(1, 2, 2, 0, 2);
  conv.dilation = {2};
  conv.activation = {ops::ActivationKind::kRelu};
  OperatorCase c(conv);
  c.input(tensor_f32({1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})).input(tensor_f32({2, 1, 2}, {1, 10, -1, 1}));
  c.input(tensor_f32({2}, {0.5f, -1.0f}))
      .input(tensor_f32({1, 2, 2}, {0, 100, 0, -5}))
      .output(DataType::kF32, {1, 2, 2});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 2, 2});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{31.5f, 153.5f, 1, 0});
}

TEST_CASE("Conv supports three spatial axes") {
  OperatorCase c(attributes(3, 2));
  c.input(tensor_f32({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .input(tensor_f32({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 2}));
  c.output(DataType::kF32, {1, 1, 1, 1, 1});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{44});
}

TEST_CASE("Conv rejects operands that do not fit") {
  const Shape x{1, 4, 8, 8}, weights{4, 4, 3, 3};
  CHECK(infer_error(attributes(2, 3), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(1, 3), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 0), x, {4, 4, 0, 0}).ok());
  CHECK_FALSE(infer_error(attributes(2, 3, 0), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 3, 1, -1), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 3, 1, 0, 0), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 3, 1, 0, 3), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 3, 1, 0, 2), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 5), x, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 9), x, {4, 4, 9, 9}).ok());
  CHECK_FALSE(infer_error(attributes(2, 3), x, weights, {5}).ok());
  CHECK_FALSE(infer_error(attributes(2, 3), {1, 4}, weights).ok());
  CHECK_FALSE(infer_error(attributes(2, 1, 1, 2000000000), x, {4, 4, 1, 1}).ok());
  ops::Conv dilated = attributes(2, 3);
  dilated.dilation = {2147483647, 2147483647};
  CHECK_FALSE(infer_error(dilated, x, weights).ok());
}

}  // namespace nestrt::test
