// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/onnx/narrow_types.h"

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace nestrt::compiler {
namespace {

constexpr NarrowType kNarrowTypes[] = {
    {17, "float8e4m3fn", DataType::kF32, 8, -6, 3, 448},
    {18, "float8e4m3fnuz", DataType::kF32, 8, -7, 3, 240, false, true, true},
    {19, "float8e5m2", DataType::kF32, 8, -14, 2, 57344, true},
    {20, "float8e5m2fnuz", DataType::kF32, 8, -15, 2, 57344, false, true, true},
    {21, "uint4", DataType::kU8, 4},
    {22, "int4", DataType::kS8, 4},
    {23, "float4e2m1", DataType::kF32, 4, 0, 1, 6, false, false},
    {25, "uint2", DataType::kU8, 2},
    {26, "int2", DataType::kS8, 2},
};
constexpr NarrowType kShortTypes[] = {{4, "uint16", DataType::kS32, 16}, {5, "int16", DataType::kS32, 16}};

const NarrowType* find(std::span<const NarrowType> types, int32_t onnx_type) {
  for (const NarrowType& type : types)
    if (type.onnx_type == onnx_type) return &type;
  return nullptr;
}

// Decodes a float whose sign bit has been removed.
float magnitude(const NarrowType& type, uint32_t bits) {
  const uint32_t fraction = bits & ((1u << type.mantissa_bits) - 1), exponent = bits >> type.mantissa_bits;
  const double unit = std::ldexp(1.0, type.min_exponent - type.mantissa_bits);  // of subnormal numbers
  const double mantissa = fraction + (exponent == 0 ? 0u : 1u << type.mantissa_bits);
  const auto value =
      static_cast<float>(std::ldexp(mantissa * unit, exponent == 0 ? 0 : static_cast<int>(exponent) - 1));
  if (value <= type.max) return value;
  const bool is_infinite = type.has_infinity && fraction == 0;
  return is_infinite ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
}

float decoded(const NarrowType& type, uint32_t bits) {
  const uint32_t sign = 1u << (type.bits - 1);
  if (type.nan_is_minus_zero && bits == sign) return std::numeric_limits<float>::quiet_NaN();
  const float value = magnitude(type, bits & (sign - 1));
  return (bits & sign) != 0 ? -value : value;
}

int32_t sign_extended(const NarrowType& type, uint32_t bits) {
  const uint32_t sign = type.is_signed() ? 1u << (type.bits - 1) : 0;
  return static_cast<int32_t>((bits ^ sign) - sign);
}

// Returns the bits of element `index`. If several elements share a byte, the first is in the lowest bits.
uint32_t bits_at(const NarrowType& type, std::span<const std::byte> packed, size_t index) {
  const size_t bit = index * static_cast<size_t>(type.bits), at = bit / 8;
  auto bits = std::to_integer<uint32_t>(packed[at]);
  if (type.bits == 16) bits |= std::to_integer<uint32_t>(packed[at + 1]) << 8;
  return bits >> (bit % 8) & ((1u << type.bits) - 1);
}

}  // namespace

const NarrowType* find_narrow_type(int32_t onnx_type) { return find(kNarrowTypes, onnx_type); }

const NarrowType* find_constant_type(int32_t onnx_type) {
  const NarrowType* const narrow = find(kNarrowTypes, onnx_type);
  return narrow != nullptr ? narrow : find(kShortTypes, onnx_type);
}

size_t packed_bytes(const NarrowType& type, size_t count) { return (count * static_cast<size_t>(type.bits) + 7) / 8; }

Bytes unpacked(const NarrowType& type, std::span<const std::byte> packed, size_t count) {
  const size_t size = size_bytes(type.type);
  Bytes result(count * size);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t bits = bits_at(type, packed, i);
    if (type.is_float()) {
      const float value = decoded(type, bits);
      std::memcpy(result.data() + i * size, &value, size);
    } else {
      const int32_t value = sign_extended(type, bits);
      std::memcpy(result.data() + i * size, &value, size);  // little-endian
    }
  }
  return result;
}

}  // namespace nestrt::compiler
