// SPDX-License-Identifier: Apache-2.0
// Tests linear interpolation of s8 images against known values, and the fast kernels against the reference, bit for
// bit.
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using ops::CoordinateMode;

ops::Resize linear(CoordinateMode coordinate, std::vector<int64_t> sizes) {
  ops::Resize table;
  table.mode = ops::ResizeMode::kLinear;
  table.coordinate = coordinate;
  table.sizes = std::move(sizes);
  return table;
}

OperatorCase resize_case(const ops::Resize& table, const TestTensor& x, Layout layout = Layout::kPlain) {
  OperatorCase c(table);
  c.input(with_layout(x, layout)).output_s8c(Shape(table.sizes), 0.37f, -5, layout);
  return c;
}

std::vector<int8_t> resized_row(CoordinateMode coordinate, const std::vector<int>& row, int64_t width) {
  const TestTensor x = with_scale(tensor_s8({1, 1, 1, static_cast<int64_t>(row.size())}, row), 0.37f, -5);
  const OperatorCase c = resize_case(linear(coordinate, {1, 1, 1, width}), x);
  CHECK(infer_error(c).empty());
  return reference(c)[0].values<int8_t>();
}

}  // namespace

TEST_CASE("s8 images are interpolated half up at the coordinates of TensorFlow Lite") {
  CHECK(resized_row(CoordinateMode::kHalfPixel, {0, 10}, 4) == std::vector<int8_t>{0, 3, 8, 10});
  CHECK(resized_row(CoordinateMode::kHalfPixel, {0, -10}, 4) == std::vector<int8_t>{0, -2, -7, -10});
  CHECK(resized_row(CoordinateMode::kAsymmetric, {0, 11}, 4) == std::vector<int8_t>{0, 6, 11, 11});
  CHECK(resized_row(CoordinateMode::kAlignCorners, {-128, 127}, 3) == std::vector<int8_t>{-128, 0, 127});
  CHECK(resized_row(CoordinateMode::kAlignCorners, {5, 9}, 1) == std::vector<int8_t>{5});
  CHECK(resized_row(CoordinateMode::kHalfPixel, {7}, 5) == std::vector<int8_t>(5, 7));
}

TEST_CASE("Fast linear interpolation of s8 images equals the reference") {
  std::mt19937 generator(1);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  for (int i = 0; i < by_level(20, 150, 3000); ++i) {
    const Shape shape{draw(1, 2), draw(1, 40), draw(1, 9), draw(1, 20)};
    const auto mode = draw(0, 2) == 0   ? CoordinateMode::kHalfPixel
                      : draw(0, 1) == 0 ? CoordinateMode::kAsymmetric
                                        : CoordinateMode::kAlignCorners;
    ops::Resize table = linear(mode, {shape[0], shape[1], draw(1, 30), draw(1, 40)});
    if (draw(0, 4) == 0) {  // a scale that does not fit the sizes reads beyond the last element
      table.scales = {1, 1, 1.5f, 2.5f};
      table.sizes[2] = shape[2] * 2;
    }
    const TestTensor x = with_scale(random_s8(generator, shape), 0.37f, -5);
    const TestTensor expected = reference(resize_case(table, x))[0];
    check_exact(resize_case(table, x), expected, "resize.s8.linear2d");
    check_exact(resize_case(table, x, Layout::kBlocked16), expected, "resize.s8.linear2d");
  }
}

TEST_CASE("Interpolation of s8 requires images, one quantization and the linear mode") {
  const auto error = [](ops::Resize table, const Shape& shape, float scale) {
    OperatorCase c(table);
    std::mt19937 generator(1);
    c.input(with_scale(random_s8(generator, shape), 0.37f, -5)).output_s8c(Shape(table.sizes), scale, -5);
    return infer_error(c);
  };
  const ops::Resize doubled = linear(CoordinateMode::kHalfPixel, {1, 2, 4, 4});
  CHECK(error(doubled, {1, 2, 2, 2}, 0.37f).empty());
  CHECK_THAT(error(doubled, {1, 2, 2, 2}, 0.5f), Catch::Contains("insert a Requantize"));
  CHECK_THAT(error(doubled, {1, 1, 2, 2}, 0.37f), Catch::Contains("the same batch and channels"));
  CHECK_THAT(error(linear(CoordinateMode::kHalfPixel, {1, 2, 4}), {1, 2, 2}, 0.37f), Catch::Contains("images"));
  ops::Resize cubic = doubled;
  cubic.mode = ops::ResizeMode::kCubic;
  CHECK_THAT(error(cubic, {1, 2, 2, 2}, 0.37f), Catch::Contains("expected f32 for mode cubic"));
}

}  // namespace nestrt::test
