#include "kernels/conv_transpose/conv_transpose.h"

#include <catch2/catch.hpp>

#include "test/support/kernel_runner.h"

namespace nestrt::test {
namespace {

plan::ConvTransposeT attributes(int rank, int kernel, int stride = 1, int pad = 0, int output_padding = 0) {
  plan::ConvTransposeT conv;
  const auto n = static_cast<size_t>(rank);
  conv.kernel.assign(n, kernel);
  conv.stride.assign(n, stride);
  conv.dilation.assign(n, 1);
  conv.pad_begin.assign(n, pad);
  conv.pad_end.assign(n, pad);
  conv.output_padding.assign(n, output_padding);
  return conv;
}

}  // namespace

TEST_CASE("ConvTranspose spreads every input over its window") {
  OperatorCase c(attributes(1, 3, 2));
  c.input(tensor_f32({1, 1, 3}, {1, 10, 100}))
      .input(tensor_f32({1, 1, 3}, {1, 2, 3}))
      .output(DataType::kF32, {1, 1, 7});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 1, 7});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1, 2, 13, 20, 130, 200, 300});
}

TEST_CASE("ConvTranspose crops by its pads and extends by its output padding") {
  OperatorCase c(attributes(1, 3, 2, 1, 1));
  c.input(tensor_f32({1, 1, 3}, {1, 10, 100}))
      .input(tensor_f32({1, 1, 3}, {1, 2, 3}))
      .output(DataType::kF32, {1, 1, 6});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 1, 6});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{2, 13, 20, 130, 200, 300});
}

TEST_CASE("ConvTranspose keeps groups apart") {
  plan::ConvTransposeT conv = attributes(2, 1);
  conv.group = 2;
  OperatorCase c(conv);
  c.input(tensor_f32({1, 2, 1, 2}, {1, 2, 3, 4})).input(tensor_f32({2, 2, 1, 1}, {1, 10, 100, 1000}));
  c.input(tensor_f32({4}, {0, 0, 0, 5})).output(DataType::kF32, {1, 4, 1, 2});
  REQUIRE(c.infer().value()[0].shape == Shape{1, 4, 1, 2});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1, 2, 10, 20, 300, 400, 3005, 4005});
}

TEST_CASE("ConvTranspose refuses outputs that vanish or overflow") {
  const auto complaint = [](const plan::ConvTransposeT& conv, const Shape& x, const Shape& weights) {
    OperatorCase c(conv);
    for (const Shape& shape : {x, weights}) c.input(shape_only(shape));
    return c.infer().error();
  };
  CHECK(complaint(attributes(1, 3), {1, 1, 4}, {1, 1, 3}).ok());
  CHECK_FALSE(complaint(attributes(1, 3, 1, 3), {1, 1, 4}, {1, 1, 3}).ok());
  CHECK_FALSE(complaint(attributes(1, 3, 2147483647), {1, 1, int64_t{1} << 40}, {1, 1, 3}).ok());
  CHECK_FALSE(complaint(attributes(1, 3), {1, 2, 4}, {1, 1, 3}).ok());
}

}  // namespace nestrt::test
