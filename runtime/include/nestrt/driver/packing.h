// Packing: the order of a constant's elements. One value and one row of kPackings say all that there is to know of one;
// kernels/common/packing/packing.h brings weights into them.
//
// A packed constant keeps its logical shape, with o outputs and, for each of them, channels at some positions. In
// memory:
//   [blocks of 16 outputs][blocks of channels][positions][groups of a block's channels][16 outputs][channels of a
//   group]
// Outputs past the last are zeros up to a whole block, channels where the row says so. Block size and order are the
// same for every instruction set. Elements are those of the constant, but for kWinograd, which holds sums of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nestrt/data_type.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/shape.h"

namespace NESTRT_PUBLIC nestrt {

// The value is what a plan's file holds, and the index of the row.
enum class Packing : uint8_t {
  kInvalidIndex = 0,  // row-major, as the shape says
  kO16i16 = 1,
  kStem16 = 2,
  kDepthwise16 = 3,
  kPanel16 = 4,
  kS8O16i4 = 5,
  kS8Depthwise16 = 6,
  kS8Stem = 7,
  kS8Panel = 8,
  kWinograd16 = 9,
  kS8Winograd16 = 10,
  kWinograd16Two = 11,
  kWinograd16Strided = 12,
};

inline constexpr int64_t kPackedOutputs = 16;              // in a block
inline constexpr int64_t kAllChannels = int64_t{1} << 40;  // a block of channels that holds them all

// Which weights a packing is for, and what their channels and positions are.
enum class PackedForm : uint8_t {
  kAny,          // all, unpacked
  kConvolution,  // [o][i][spatial...]: channels i of a group, positions spatial
  kDepthwise,    // [o][1][spatial...]: one channel, positions spatial
  kStem,         // [o][i][spatial...]: channels [last axis][i][other spatial axes], one position
  kMatrix,       // [i][o]: channels i, one position
  kWinograd,     // [o][i][3][3]: channels i, positions those of the transformed kernel; of s8 a channel takes a group,
                 // the two bytes of 16 bits
};

struct PackingRow {
  Packing packing;
  std::string_view name;
  DataType type;  // the elements'
  PackedForm form;
  int64_t channel_block;  // channels in a block
  int64_t channel_group;  // channels side by side for one output: what a dot product takes
  bool whole_blocks;      // the last block of channels is as long as the others, for kernels that read whole blocks
  int64_t positions = 0;  // of kWinograd; others have those of the shape
};

inline constexpr PackingRow kPackings[] = {
    {Packing::kInvalidIndex, "none", DataType::kF32, PackedForm::kAny, 1, 1, false},
    {Packing::kO16i16, "o16i16", DataType::kF32, PackedForm::kConvolution, 16, 1, false},
    {Packing::kStem16, "stem16", DataType::kF32, PackedForm::kConvolution, 1, 1, false},
    {Packing::kDepthwise16, "depthwise16", DataType::kF32, PackedForm::kDepthwise, 1, 1, false},
    {Packing::kPanel16, "panel16", DataType::kF32, PackedForm::kMatrix, 1, 1, false},
    {Packing::kS8O16i4, "s8_o16i4", DataType::kS8, PackedForm::kConvolution, 16, 4, true},
    {Packing::kS8Depthwise16, "s8_depthwise16", DataType::kS8, PackedForm::kDepthwise, 1, 1, false},
    {Packing::kS8Stem, "s8_stem", DataType::kS8, PackedForm::kStem, 8, 4, true},
    {Packing::kS8Panel, "s8_panel", DataType::kS8, PackedForm::kMatrix, 16, 4, true},
    {Packing::kWinograd16, "winograd16", DataType::kF32, PackedForm::kWinograd, kAllChannels, 1, false, 36},
    {Packing::kS8Winograd16, "s8_winograd16", DataType::kS8, PackedForm::kWinograd, kAllChannels, 2, false, 36},
    {Packing::kWinograd16Two, "winograd16_two", DataType::kF32, PackedForm::kWinograd, kAllChannels, 1, false, 16},
    {Packing::kWinograd16Strided, "winograd16_strided", DataType::kF32, PackedForm::kWinograd, kAllChannels, 1, false,
     16},
};

// Requires: a packing that exists.
constexpr const PackingRow& row_of(Packing packing) { return kPackings[static_cast<size_t>(packing)]; }

// "o16i16". Empty for a number that is no packing.
std::string_view name(Packing packing);

// Bytes of weights of that shape, as a matrix or convolution has them. Empty where the packing does not apply to such a
// shape or is none, and where the size does not fit 63 bits.
std::optional<int64_t> packed_size_bytes(Packing packing, const Shape& shape);

// Type of the packed elements. Requires: a packing other than kInvalidIndex.
DataType packed_type(Packing packing);

}  // namespace nestrt
