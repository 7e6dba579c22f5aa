// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/elements.h"

#include <cmath>
#include <limits>

namespace nestrt::kernels {
namespace {

template <typename T>
T saturated(float value) {
  if (std::isnan(value)) return 0;
  // 2^63 and 2^31 are exact in f32; the largest integers below them are not.
  if (value >= static_cast<float>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (value <= static_cast<float>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

template <typename T>
ElementBytes bytes_of(T value) {
  ElementBytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

}  // namespace

ElementBytes element_of(float value, DataType type) {
  switch (type) {
    case DataType::kF32:
      return bytes_of(value);
    case DataType::kS8:
      return bytes_of(saturated<int8_t>(value));
    case DataType::kU8:
      return bytes_of(saturated<uint8_t>(value));
    case DataType::kS32:
      return bytes_of(saturated<int32_t>(value));
    case DataType::kS64:
      return bytes_of(saturated<int64_t>(value));
    case DataType::kBool:
      return bytes_of(static_cast<uint8_t>(value != 0));
  }
  return {};
}

}  // namespace nestrt::kernels
