// SPDX-License-Identifier: Apache-2.0
// The packings of constants. Each is defined by one value of Packing and one row of kPackings.
// kernels/common/packing/packing.h packs weights.
//
// A packed constant keeps its logical shape, with o outputs and, for each of them, channels at a number of positions.
// In memory:
//   [blocks of 16 outputs][blocks of channels][positions][groups of a block's channels][16 outputs][channels of a
//   group]
// Missing outputs of the last block are zero, and so are missing channels if `whole_blocks` is set. Block size and
// order are the same for every instruction set. Elements have the constant's type, except for kWinograd, which stores
// sums of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nestrt/data_type.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/shape.h"

namespace nestrt {

inline constexpr int64_t kPackedOutputs = 16;              // in a block
inline constexpr int64_t kAllChannels = int64_t{1} << 40;  // one block with all channels

// The weights to which a packing applies, and the meaning of their channels and positions.
enum class PackedForm : uint8_t {
  kAny,          // all, unpacked
  kConvolution,  // [o][i][spatial...]: channels i of a group, positions spatial
  kDepthwise,    // [o][1][spatial...]: one channel, positions spatial
  kStem,         // [o][i][spatial...]: channels [last axis][i][other spatial axes], one position
  kMatrix,       // [i][o]: channels i, one position
  kWinograd,     // [o][i][3][3]: channels i, positions of the transformed kernel; for s8 a channel occupies a group of
                 // two bytes, which contain its 16-bit value
};

struct PackingRow {
  Packing packing;
  std::string_view name;
  DataType type;  // element type
  PackedForm form;
  int64_t channel_block;  // number of channels in a block
  int64_t channel_group;  // number of adjacent channels of one output, as a dot product reads them
  bool whole_blocks;      // pads the last block of channels, for kernels that read whole blocks
  int64_t positions = 0;  // for kWinograd; other forms derive it from the shape
};

inline constexpr PackingRow kPackings[] = {
    {Packing::kNone, "none", DataType::kF32, PackedForm::kAny, 1, 1, false},
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

// Requires: a valid packing.
constexpr const PackingRow& row_of(Packing packing) { return kPackings[static_cast<size_t>(packing)]; }

// Returns the name of a packing, such as "o16i16"; an empty string for an invalid value.
std::string_view name(Packing packing);

// Returns the packed size of matrix or convolution weights. Returns nullopt if the packing is invalid or does
// not apply to the shape, or if the size exceeds 63 bits.
std::optional<int64_t> packed_size_bytes(Packing packing, const Shape& shape);

// Returns the type of the packed elements. Requires: a packing other than kNone.
DataType packed_type(Packing packing);

}  // namespace nestrt
