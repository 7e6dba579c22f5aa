// SPDX-License-Identifier: Apache-2.0
#include "drivers/model/image_frames.h"

#include <fmt/core.h>

#include "runtime/plan/format/image_channels.h"

namespace nestrt {
namespace {

Shape with_batch(const Shape& shape) {
  if (shape.rank() != 3) return shape;
  return {1, shape[0], shape[1], shape[2]};
}

std::string sizing_advice(const Preprocessing& preprocessing) {
  const std::string_view frame = "pass a Frame, which is resized (nestrt/frame.h)";
  if (preprocessing.letterbox)
    return fmt::format("resize the whole image to fit and fill the rest with {}, or {}", preprocessing.pad, frame);
  if (preprocessing.resize > 0)
    return fmt::format("resize its shorter side to {} pixels and crop the centre, or {}", preprocessing.resize, frame);
  return fmt::format("resize it first, or {}", frame);
}

}  // namespace

Result<PixelOrder> pixel_order(std::string_view input, const Shape& expected, const std::optional<Shape>& actual,
                               const Preprocessing& preprocessing) {
  if (expected.rank() != 4 || !is_image_channels(expected[image_channels_axis(expected)]))
    return Status(Code::kInvalidArgument, fmt::format("input '{}' with shape {} is not an image; pass f32 values",
                                                      input, expected.to_string()));
  if (!actual) return PixelOrder::kNhwc;
  const ImageShape image = image_shape(expected);
  const Shape pixels = with_batch(*actual);
  if (pixels == image.nhwc()) return PixelOrder::kNhwc;
  if (pixels == image.nchw()) return PixelOrder::kNchw;
  return Status(Code::kInvalidArgument,
                fmt::format("input '{}' expects an image of {} x {} pixels with {} channels ({} or {}), got {}; {}",
                            input, image.width, image.height, image.channels, image.nhwc().to_string(),
                            image.nchw().to_string(), actual->to_string(), sizing_advice(preprocessing)));
}

Frame image_frame(const uint8_t* pixels, PixelOrder order, const Shape& shape, size_t index) {
  const ImageShape image = image_shape(shape);
  Frame frame;
  frame.format = image.channels == 1          ? PixelFormat::kGrey
                 : order == PixelOrder::kNhwc ? PixelFormat::kRgb
                                              : PixelFormat::kRgbPlanes;
  frame.width = static_cast<int32_t>(image.width);
  frame.height = static_cast<int32_t>(image.height);
  frame.planes[0] = pixels + index * static_cast<size_t>(image.channels * image.pixels());
  return frame;
}

}  // namespace nestrt
