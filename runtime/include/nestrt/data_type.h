// Element types and memory layouts of tensors. The values are those of plan.fbs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

enum class DataType : uint8_t { kF32 = 0, kS8 = 1, kU8 = 2, kS32 = 3, kS64 = 4, kBool = 5 };

constexpr size_t size_bytes(DataType type) {
  switch (type) {
    case DataType::kF32:
      return 4;
    case DataType::kS8:
      return 1;
    case DataType::kU8:
      return 1;
    case DataType::kS32:
      return 4;
    case DataType::kS64:
      return 8;
    case DataType::kBool:
      return 1;
  }
  return 0;
}

// "f32", "s8", "u8", "s32", "s64", "bool"; empty for a number that is no type.
std::string_view name(DataType type);

// How the elements of a tensor [N, C, spatial...] lie in memory.
//   kPlain    row-major, as the shape says (NCHW for a picture)
//   kBlocked16, kBlocked32
//             [N][ceil(C/B)][spatial...][B] with B = 16 or 32: one vector of channels per pixel; EVTA's own
//             layout. The lanes past C of the last block hold unspecified values: no kernel may let them
//             influence a valid lane (a NaN there must not spread).
enum class Layout : uint8_t { kPlain = 0, kBlocked16 = 1, kBlocked32 = 2 };

// Channels in a block; 1 for kPlain.
constexpr int64_t block_size(Layout layout) {
  return layout == Layout::kBlocked16 ? 16 : layout == Layout::kBlocked32 ? 32 : 1;
}

std::string_view name(Layout layout);

}  // namespace nestrt
