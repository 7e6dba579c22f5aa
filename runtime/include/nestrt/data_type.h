// SPDX-License-Identifier: Apache-2.0
// Element types and memory layouts of tensors. Their values match plan.fbs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// Types of tensor elements. Values are part of the plan format and the C interface.
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

// Returns "f32", "s8", "u8", "s32", "s64" or "bool"; an empty string for an invalid value.
std::string_view name(DataType type);

// The memory layout of a tensor [N, C, spatial...].
//   kPlain    row-major, with the dimensions of the shape (NCHW for an image)
//   kBlocked16, kBlocked32
//             [N][ceil(C/B)][spatial...][B] with B = 16 or 32: one vector of channels per pixel, as EVTA uses it.
//             Lanes past C in the last block hold unspecified values; kernels must not let them (for example a
//             NaN) influence valid lanes.
//   kFolded2, kFolded4, kFolded8
//             for s8 images [N, C, H, W] read by a convolution whose stride is a multiple of F = 2, 4 or 8: the
//             channels of F x F pixels become the channels of one pixel, in blocks of 16,
//             [N][ceil(C F F / 16)][ceil(H / F)][ceil(W / F)][16]. Element (c, y, x) is channel
//             (y % F * F + x % F) * C + c of pixel (y / F, x / F); all other elements are zero.
enum class Layout : uint8_t { kPlain = 0, kBlocked16 = 1, kBlocked32 = 2, kFolded2 = 3, kFolded4 = 4, kFolded8 = 5 };

// Returns the fold factor F: F x F pixels become one pixel. Returns 1 for layouts without folding.
constexpr int64_t fold_of(Layout layout) {
  switch (layout) {
    case Layout::kFolded2:
      return 2;
    case Layout::kFolded4:
      return 4;
    case Layout::kFolded8:
      return 8;
    default:
      return 1;
  }
}

// Returns whether the layout folds pixels into channels.
constexpr bool is_folded(Layout layout) { return fold_of(layout) > 1; }

// Returns the number of channels per block, or 1 for kPlain.
constexpr int64_t block_size(Layout layout) {
  return layout == Layout::kPlain ? 1 : layout == Layout::kBlocked32 ? 32 : 16;
}

// Returns the name of a layout, such as "blocked16".
std::string_view name(Layout layout);

}  // namespace nestrt
