// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/stored_constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {
namespace {

int32_t integer_at(const Value& value, size_t index) {
  if (value.type == DataType::kS8) return value.data<int8_t>()[index];
  return value.type == DataType::kU8 ? value.data<uint8_t>()[index] : value.data<int32_t>()[index];
}

template <typename T>
void store_integer(double number, Bytes& elements) {
  const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const T integer = static_cast<T>(std::clamp(number, low, high));
  const auto* const bytes = reinterpret_cast<const std::byte*>(&integer);
  elements.insert(elements.end(), bytes, bytes + sizeof integer);
}

void store_integer(DataType type, double number, Bytes& elements) {
  if (type == DataType::kS8) return store_integer<int8_t>(number, elements);
  if (type == DataType::kU8) return store_integer<uint8_t>(number, elements);
  store_integer<int32_t>(number, elements);
}

// Returns the index of an element's scale.
size_t scale_of(const Value& value, const plan::Quantization& quantization, size_t scales, size_t index) {
  if (scales == 1) return 0;
  const int axis = quantization.axis;
  const auto inner = static_cast<size_t>(value.shape.product(axis + 1, value.shape.rank()));
  return index / inner % static_cast<size_t>(value.shape[axis]);
}

int32_t zero_point_of(const plan::Quantization& quantization, size_t scale) {
  return quantization.zero_points.empty() ? 0 : quantization.zero_points[scale];
}

void swap_axes(std::optional<plan::Quantization>& quantization) {
  if (quantization && scales_of(*quantization).size() > 1) quantization->axis = 1 - quantization->axis;
}

}  // namespace

Value transposed(const Value& matrix) {
  Value result = matrix;
  const auto rows = static_cast<size_t>(matrix.shape[0]), columns = static_cast<size_t>(matrix.shape[1]);
  const size_t width = size_bytes(matrix.type);
  Bytes elements(matrix.constant->size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      std::memcpy(elements.data() + (column * rows + row) * width,
                  matrix.constant->data() + (row * columns + column) * width, width);
  result.shape = {matrix.shape[1], matrix.shape[0]};
  result.constant = std::make_shared<const Bytes>(std::move(elements));
  swap_axes(result.quantization);
  swap_axes(result.source_quantization);
  return result;
}

std::optional<OneScale> with_one_scale(const Value& integers, const plan::Quantization& quantization) {
  const std::vector<float> scales = scales_of(quantization);
  const std::vector<int32_t>& points = quantization.zero_points;
  if (scales.size() < 2 || std::ranges::adjacent_find(points, std::ranges::not_equal_to()) != points.end())
    return std::nullopt;
  OneScale result;
  result.quantization.scales = {*std::ranges::max_element(scales)};
  result.quantization.zero_points = {zero_point_of(quantization, 0)};
  const auto count = static_cast<size_t>(integers.shape.num_elements());
  for (size_t i = 0; i < count; ++i) {
    const double scale = scales[scale_of(integers, quantization, scales.size(), i)];
    const double steps = (integer_at(integers, i) - zero_point_of(quantization, 0)) * scale;
    store_integer(integers.type, std::nearbyint(steps / result.quantization.scales[0]) + zero_point_of(quantization, 0),
                  result.elements);
  }
  return result;
}

std::vector<float> dequantized_elements(const Value& integers, const plan::Quantization& quantization) {
  const std::vector<float> scales = scales_of(quantization);
  std::vector<float> reals;
  const auto count = static_cast<size_t>(integers.shape.num_elements());
  for (size_t i = 0; i < count; ++i) {
    const size_t scale = scale_of(integers, quantization, scales.size(), i);
    const double steps = static_cast<double>(integer_at(integers, i)) - zero_point_of(quantization, scale);
    reals.push_back(static_cast<float>(steps * scales[scale]));
  }
  return reals;
}

}  // namespace nestrt::compiler
