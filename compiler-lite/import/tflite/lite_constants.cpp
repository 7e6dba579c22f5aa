// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/lite_constants.h"

#include "compiler-lite/import/element_conversion.h"

namespace nestrt::compiler {
namespace {

using tflite::ElementType;

// Two elements share a byte, the first in the low bits.
Bytes decode_int4(std::span<const std::byte> raw, size_t count) {
  Bytes result(count);
  for (size_t i = 0; i < count; ++i) {
    const auto pair = static_cast<unsigned>(raw[i / 2]);
    const int nibble = static_cast<int>(i % 2 == 0 ? pair & 15u : pair >> 4);
    result[i] = static_cast<std::byte>(nibble < 8 ? nibble : nibble - 16);
  }
  return result;
}

}  // namespace

std::optional<DataType> lite_type(ElementType type) {
  switch (type) {
    case ElementType::FLOAT32:
    case ElementType::FLOAT16:
    case ElementType::FLOAT64:
    case ElementType::BFLOAT16:
      return DataType::kF32;
    case ElementType::INT4:
    case ElementType::INT8:
      return DataType::kS8;
    case ElementType::UINT8:
      return DataType::kU8;
    case ElementType::INT16:
    case ElementType::INT32:
      return DataType::kS32;
    case ElementType::INT64:
      return DataType::kS64;
    case ElementType::BOOL:
      return DataType::kBool;
    default:
      return std::nullopt;
  }
}

size_t lite_bytes(ElementType type, size_t count) {
  switch (type) {
    case ElementType::INT4:
      return (count + 1) / 2;
    case ElementType::INT8:
    case ElementType::UINT8:
    case ElementType::BOOL:
      return count;
    case ElementType::FLOAT16:
    case ElementType::BFLOAT16:
    case ElementType::INT16:
      return 2 * count;
    case ElementType::INT64:
    case ElementType::FLOAT64:
      return 8 * count;
    default:
      return 4 * count;
  }
}

Bytes decode_lite(ElementType type, std::span<const std::byte> raw, size_t count) {
  switch (type) {
    case ElementType::FLOAT16:
      return convert<uint16_t, float>(raw.data(), count, from_float16);
    case ElementType::BFLOAT16:
      return convert<uint16_t, float>(raw.data(), count, from_bfloat16);
    case ElementType::FLOAT64:
      return convert<double, float>(raw.data(), count, [](double x) { return static_cast<float>(x); });
    case ElementType::INT16:
      return convert<int16_t, int32_t>(raw.data(), count, [](int16_t x) { return int32_t{x}; });
    case ElementType::BOOL:
      return convert<uint8_t, uint8_t>(raw.data(), count, [](uint8_t x) { return uint8_t{x != 0}; });
    case ElementType::INT4:
      return decode_int4(raw, count);
    default:
      return Bytes(raw.begin(), raw.end());
  }
}

}  // namespace nestrt::compiler
