// SPDX-License-Identifier: Apache-2.0
// Frame: 8-bit pixels as cameras, decoders and OpenCV deliver them, in memory of the caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// The order of the bytes of a frame. YUV has limited range (16 to 235) and the ITU-R BT.601 matrix.
enum class PixelFormat : uint8_t {
  kRgb,        // R G B, as Pillow
  kBgr,        // B G R, as OpenCV
  kRgba,       // R G B A; alpha is ignored
  kBgra,       // B G R A
  kGrey,       // one byte per pixel
  kRgbPlanes,  // three planes: [3, height, width]
  kBgrPlanes,
  kNv12,  // a plane of Y, then a plane of half the height and width with U V pairs, rounded up
  kYuyv,  // Y U Y V for two pixels
};

// Returns the number of planes of a format.
constexpr int num_planes(PixelFormat format) {
  if (format == PixelFormat::kRgbPlanes || format == PixelFormat::kBgrPlanes) return 3;
  return format == PixelFormat::kNv12 ? 2 : 1;
}

// A part of a frame, in pixels from its top left corner.
struct FrameRect {
  int32_t left = 0, top = 0, width = 0, height = 0;
};

// Pixels in memory of the caller.
struct Frame {
  PixelFormat format = PixelFormat::kRgb;
  int32_t width = 0;   // in pixels, 1 to 32768
  int32_t height = 0;  // 1 to 32768
  // The first byte of the top row of each plane. If the second or third is null, that plane follows the previous one.
  std::array<const uint8_t*, 3> planes = {};
  // The distance in bytes between the rows of each plane: negative for images stored bottom-up. 0: rows are dense or,
  // in a second or third plane that is not given, as far apart as those of the first plane.
  std::array<ptrdiff_t, 3> row_bytes = {};
  // The used part, which is treated as the whole image. Width 0: use the whole image.
  FrameRect crop = {};
};

}  // namespace nestrt
