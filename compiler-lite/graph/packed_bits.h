// SPDX-License-Identifier: Apache-2.0
// Matrices of 2-bit, 4-bit and 8-bit integers in the order of ops::MatMulNBits.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// An integer matrix [inner, columns] with a scale and a zero point for every `block` elements of a column.
struct BitMatrix {
  int bits = 4;
  int64_t inner = 0, columns = 0, block = 0;
  std::vector<uint8_t> integers;   // [inner][columns], from 0 to 2^bits - 1
  std::vector<float> scales;       // [blocks][columns]
  std::vector<float> zero_points;  // the same
  bool has_integer_zeros = true;   // zero points are integers of `bits` bits

  int64_t blocks() const { return (inner + block - 1) / block; }
};

// The constants that represent a matrix as inputs of a MatMulNBits.
struct PackedBits {
  Shape weights_shape;
  Bytes weights;   // u8
  Shape by_block;  // shape of scales and zero points
  Bytes scales;    // f32
  DataType zero_type = DataType::kU8;
  Bytes zero_points;  // of zero_type; empty if all have the default value
};

// Requires: `block` is a multiple of 8 / bits.
PackedBits pack_bits(const BitMatrix& matrix);

}  // namespace nestrt::compiler
