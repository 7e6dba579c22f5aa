// SPDX-License-Identifier: Apache-2.0
#include "drivers/model/frame_layout.h"

#include <fmt/core.h>

#include <cstdlib>

namespace nestrt {
namespace {

Status wrong_frame(const std::string& message) { return Status(Code::kInvalidArgument, "frame: " + message); }

// Returns the number of bytes of the pixels in a row of a plane.
ptrdiff_t pixel_bytes(PixelFormat format, ptrdiff_t width, size_t plane) {
  switch (format) {
    case PixelFormat::kRgb:
    case PixelFormat::kBgr:
      return 3 * width;
    case PixelFormat::kRgba:
    case PixelFormat::kBgra:
      return 4 * width;
    case PixelFormat::kYuyv:
      return (width + 1) / 2 * 4;
    case PixelFormat::kNv12:
      return plane == 0 ? width : (width + 1) / 2 * 2;
    default:
      return width;
  }
}

Status check_crop(const Frame& frame) {
  const FrameRect& crop = frame.crop;
  const bool inside = crop.left >= 0 && crop.top >= 0 && crop.width > 0 && crop.height > 0 &&
                      crop.left <= frame.width - crop.width && crop.top <= frame.height - crop.height;
  if (inside) return {};
  return wrong_frame(fmt::format("crop of {} x {} at ({}, {}) is not inside the frame of {} x {}", crop.width,
                                 crop.height, crop.left, crop.top, frame.width, frame.height));
}

// Completes the description of a plane other than the first.
void follow_previous_plane(Frame& frame, size_t plane) {
  const bool is_dense = frame.row_bytes[plane - 1] == pixel_bytes(frame.format, frame.width, plane - 1);
  if (frame.row_bytes[plane] == 0)
    frame.row_bytes[plane] = frame.planes[plane] == nullptr && !is_dense
                                 ? frame.row_bytes[plane - 1]
                                 : pixel_bytes(frame.format, frame.width, plane);
  if (frame.planes[plane] == nullptr)
    frame.planes[plane] = frame.planes[plane - 1] + frame.row_bytes[plane - 1] * frame.height;
}

Status complete_plane(Frame& frame, size_t plane) {
  const ptrdiff_t least = pixel_bytes(frame.format, frame.width, plane);
  if (plane > 0) {
    if (frame.planes[plane] == nullptr && frame.row_bytes[plane - 1] < 0)
      return wrong_frame(
          fmt::format("planes[{}] is null and the rows of the previous plane are stored bottom-up; "
                      "give every plane",
                      plane));
    follow_previous_plane(frame, plane);
  } else if (frame.row_bytes[0] == 0) {
    frame.row_bytes[0] = least;
  }
  if (std::abs(frame.row_bytes[plane]) < least)
    return wrong_frame(fmt::format("row_bytes[{}] is {}, but a row of {} pixels has {} bytes", plane,
                                   frame.row_bytes[plane], frame.width, least));
  return {};
}

}  // namespace

Result<FrameLayout> FrameLayout::of(const Frame& frame) {
  if (static_cast<int>(frame.format) > static_cast<int>(PixelFormat::kYuyv))
    return wrong_frame(fmt::format("unknown pixel format {}", static_cast<int>(frame.format)));
  for (const int32_t side : {frame.width, frame.height})
    if (side < 1 || side > kMaxFrameSide)
      return wrong_frame(
          fmt::format("expected sides of 1 to {} pixels, got {} x {}", kMaxFrameSide, frame.width, frame.height));
  if (frame.planes[0] == nullptr) return wrong_frame("planes[0] is null");
  FrameLayout layout(frame);
  if (frame.crop.width == 0) layout.frame_.crop = {0, 0, frame.width, frame.height};
  NESTRT_RETURN_IF_ERROR(check_crop(layout.frame_));
  for (int plane = 0; plane < num_planes(frame.format); ++plane)
    NESTRT_RETURN_IF_ERROR(complete_plane(layout.frame_, static_cast<size_t>(plane)));
  return layout;
}

kernels::FrameRow FrameLayout::row(int64_t y) const {
  const int64_t at = frame_.crop.top + y;
  kernels::FrameRow row{frame_.format, {}};
  for (int plane = 0; plane < num_planes(frame_.format); ++plane) {
    const auto i = static_cast<size_t>(plane);
    row.planes[i] =
        frame_.planes[i] + frame_.row_bytes[i] * (frame_.format == PixelFormat::kNv12 && i == 1 ? at / 2 : at);
  }
  return row;
}

}  // namespace nestrt
