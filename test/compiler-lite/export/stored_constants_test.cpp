// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/stored_constants.h"

#include <catch2/catch.hpp>

namespace nestrt::compiler {
namespace {

template <typename T>
Value stored_constant(DataType type, const Shape& shape, const std::vector<T>& elements) {
  Value value;
  value.type = type;
  value.shape = shape;
  value.constant = std::make_shared<const Bytes>(to_bytes(elements));
  return value;
}

plan::Quantization scales_along(int axis, std::vector<float> scales, std::vector<int32_t> points) {
  plan::Quantization result;
  result.axis = axis;
  result.scales = std::move(scales);
  result.zero_points = std::move(points);
  return result;
}

}  // namespace

TEST_CASE("A transposed matrix has its elements and the axis of its scales swapped") {
  Value matrix = stored_constant<int8_t>(DataType::kS8, {2, 3}, {1, 2, 3, 4, 5, 6});
  matrix.quantization = scales_along(1, {1, 2, 3}, {0, 0, 0});
  const Value result = transposed(matrix);
  CHECK(result.shape == Shape{3, 2});
  CHECK(*result.constant == to_bytes(std::vector<int8_t>{1, 4, 2, 5, 3, 6}));
  CHECK(result.quantization->axis == 0);
}

TEST_CASE("Integers with several scales are rounded to the largest scale and saturate") {
  const Value weights = stored_constant<int8_t>(DataType::kS8, {2, 2}, {100, -128, 127, -3});
  const auto rounded = with_one_scale(weights, scales_along(0, {0.25f, 1.0f}, {0, 0}));
  REQUIRE(rounded);
  CHECK(rounded->quantization.scales == std::vector<float>{1.0f});
  CHECK(rounded->elements == to_bytes(std::vector<int8_t>{25, -32, 127, -3}));
  const Value shifted = stored_constant<uint8_t>(DataType::kU8, {2}, {110, 255});
  const auto about_ten = with_one_scale(shifted, scales_along(0, {1.0f, 2.0f}, {10, 10}));
  REQUIRE(about_ten);
  CHECK(about_ten->elements == to_bytes(std::vector<uint8_t>{60, 255}));
  CHECK(about_ten->quantization.zero_points == std::vector<int32_t>{10});
}

TEST_CASE("Constants with one scale or different zero points stay unchanged") {
  const Value weights = stored_constant<int8_t>(DataType::kS8, {2}, {1, 2});
  CHECK_FALSE(with_one_scale(weights, scales_along(0, {1}, {0})));
  CHECK_FALSE(with_one_scale(weights, scales_along(0, {1, 2}, {0, 1})));
}

TEST_CASE("Dequantized elements use the scale and the zero point of their channel") {
  const Value bias = stored_constant<int32_t>(DataType::kS32, {1, 2, 2}, {10, 20, 30, 40});
  CHECK(dequantized_elements(bias, scales_along(1, {0.5f, 2.0f}, {0, 10})) == std::vector<float>{5, 10, 40, 60});
}

}  // namespace nestrt::compiler
