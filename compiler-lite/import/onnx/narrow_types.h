// SPDX-License-Identifier: Apache-2.0
// ONNX's integers of 2, 4 and 16 bits and its floats of 4 and 8 bits. Their elements become s8, u8, s32 or f32 with the
// same values: integers of 16 bits in constants only, the others also in inputs and outputs of the model.
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
  bool has_infinity = false;       // larger numbers become infinite unless they saturate, otherwise NaN
  bool has_nan = true;             // otherwise NaN becomes 0
  bool nan_is_minus_zero = false;  // the only NaN, and no -0

  bool is_float() const { return type == DataType::kF32; }
  bool is_signed() const { return !name.starts_with('u'); }
  // The range of an integer type.
  int32_t low() const { return is_signed() ? -(1 << (bits - 1)) : 0; }
  int32_t high() const { return low() + (1 << bits) - 1; }
};

// Returns null for integers of 16 bits and for types of other sizes.
const NarrowType* find_narrow_type(int32_t onnx_type);
// Returns the same, and integers of 16 bits, which other operators than Dequantize would let overflow differently.
const NarrowType* find_constant_type(int32_t onnx_type);

// Returns the number of bytes that `count` elements occupy in a file.
size_t packed_bytes(const NarrowType& type, size_t count);

// Converts elements as stored in a file. Requires: packed_bytes() of them.
Bytes unpacked(const NarrowType& type, std::span<const std::byte> packed, size_t count);

}  // namespace nestrt::compiler
