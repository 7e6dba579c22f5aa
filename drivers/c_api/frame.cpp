// SPDX-License-Identifier: Apache-2.0
#include "drivers/c_api/frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "drivers/c_api/call.h"

namespace nestrt::c_api {
namespace {

// Converts a number to a frame coordinate. Numbers out of range become -1, which is never valid.
int32_t coordinate(int64_t number) {
  return number >= 0 && number <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(number) : -1;
}

}  // namespace

Result<Frame> frame_of(nestrt_frame_format format, int64_t width, int64_t height, const uint8_t* const* planes,
                       const int64_t* row_bytes, const int64_t* crop) {
  NESTRT_RETURN_IF_ERROR(expect_argument(planes, "planes"));
  if (format < NESTRT_FRAME_RGB || format > NESTRT_FRAME_YUYV)
    return Status(Code::kInvalidArgument,
                  fmt::format("unknown format {}; expected NESTRT_FRAME_RGB to NESTRT_FRAME_YUYV", format));
  Frame frame{.format = static_cast<PixelFormat>(format), .width = coordinate(width), .height = coordinate(height)};
  const auto count = static_cast<size_t>(num_planes(frame.format));
  std::copy_n(planes, count, frame.planes.begin());
  if (row_bytes != nullptr) std::copy_n(row_bytes, count, frame.row_bytes.begin());
  if (crop != nullptr) {
    if (crop[2] < 1)
      return Status(Code::kInvalidArgument, fmt::format("crop: expected a width of at least 1, got {}", crop[2]));
    frame.crop = {coordinate(crop[0]), coordinate(crop[1]), coordinate(crop[2]), coordinate(crop[3])};
  }
  return frame;
}

}  // namespace nestrt::c_api
