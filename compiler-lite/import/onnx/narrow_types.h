// SPDX-License-Identifier: Apache-2.0
// ONNX's 2-, 4- and 16-bit integers and 4- and 8-bit floats. Their elements become s8, u8, s32 or f32 with the same
// values. 16-bit integers are supported only in constants, the other types also in the model's inputs and outputs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler-lite/graph/bytes.h"
#include "nestrt/data_type.h"

namespace nestrt::compiler {

struct NarrowType {
  int32_t onnx_type = 0;  // number in TensorProto.DataType
  std::string_view name;
  DataType type = DataType::kF32;  // of the converted elements
  int bits = 8;
  // Floats: the exponent of the smallest normal number, the number of mantissa bits, and the largest finite number.
  int min_exponent = 0, mantissa_bits = 0;
  float max = 0;
  bool has_infinity = false;       // if not saturated, larger numbers become infinity, or NaN if false
  bool has_nan = true;             // if false, NaN becomes 0
  bool nan_is_minus_zero = false;  // the only NaN, and no -0

  bool is_float() const { return type == DataType::kF32; }
  bool is_signed() const { return !name.starts_with('u'); }
  // Return the range of an integer type.
  int32_t low() const { return is_signed() ? -(1 << (bits - 1)) : 0; }
  int32_t high() const { return low() + (1 << bits) - 1; }
};

// Returns null for 16-bit integers and for types that are not narrow.
const NarrowType* find_narrow_type(int32_t onnx_type);
// Same as find_narrow_type(), but also finds 16-bit integers. They are valid only in constants because operators other
// than Dequantize would overflow differently.
const NarrowType* find_constant_type(int32_t onnx_type);

// Returns the number of bytes that `count` elements occupy in a file.
size_t packed_bytes(const NarrowType& type, size_t count);

// Converts elements as stored in a file. Requires: packed.size() == packed_bytes(type, count).
Bytes unpacked(const NarrowType& type, std::span<const std::byte> packed, size_t count);

}  // namespace nestrt::compiler
