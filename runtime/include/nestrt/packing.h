// Packing: the order of a constant's elements. The value is what a plan's file holds; sizes and names of all packings
// are one table (runtime/plan/packing.cpp), and kernels/common/packing.h brings weights into them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"

namespace nestrt {

// Dimensions are those of the weights: o outputs, i inputs; o and i are padded with zeros to whole blocks but where it
// says otherwise.
enum class Packing : uint8_t {
  kNone = 0,         // row-major, as the shape says
  kO16i16 = 1,       // convolution, f32: [O/16][I/16][spatial][16 i][16 o], last i block short
  kStem16 = 2,       // convolution of a plain input: [O/16][I][spatial][16 o]
  kDepthwise16 = 3,  // [C/16][spatial][16]
  kPanel16 = 4,      // matrix K x N: [N/16][K][16]
  // s8
  kS8O16i4 = 5,        // convolution: [O/16][I/16][spatial][4 groups of i][16 o][4 i], for dot products of four
  kS8Depthwise16 = 6,  // [C/16][spatial][16]
  kS8Stem = 7,   // convolution of a plain input: [O/16][groups of r][16 o][4 r], r = [W][I][spatial before W], to 8
  kS8Panel = 8,  // matrix K x N: [N/16][groups of k][16 n][4 k], k padded to 16
};

// "o16i16". Empty for a number that is no packing.
std::string_view name(Packing packing);

// Bytes of weights of that shape, as a matrix or convolution has them. Empty where the packing does not apply to such a
// shape, and where the size does not fit 63 bits.
std::optional<int64_t> packed_size_bytes(Packing packing, const Shape& shape);

// Type of the packed elements. Requires: a packing other than kNone.
DataType packed_type(Packing packing);

}  // namespace nestrt
