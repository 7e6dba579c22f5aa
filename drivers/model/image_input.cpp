// SPDX-License-Identifier: Apache-2.0
#include "drivers/model/image_input.h"

#include <fmt/core.h>

#include "runtime/plan/format/image_channels.h"

namespace nestrt {
namespace {

struct ImageShape {
  int64_t images, channels, height, width;

  int64_t pixels() const { return height * width; }
  Shape nhwc() const { return {images, height, width, channels}; }
  Shape nchw() const { return {images, channels, height, width}; }
};

// Requires: rank 4.
ImageShape image_shape(const Shape& shape) {
  if (image_channels_axis(shape) == 1) return {shape[0], shape[1], shape[2], shape[3]};
  return {shape[0], shape[3], shape[1], shape[2]};
}

Shape with_batch(const Shape& shape) {
  if (shape.rank() != 3) return shape;
  return {1, shape[0], shape[1], shape[2]};
}

std::string sizing_advice(const Preprocessing& preprocessing) {
  if (preprocessing.letterbox)
    return fmt::format("resize the whole image to fit and fill the rest with {}", preprocessing.pad);
  if (preprocessing.resize > 0)
    return fmt::format("resize its shorter side to {} pixels and crop the centre", preprocessing.resize);
  return "resize it first";
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

void convert_image(const uint8_t* pixels, PixelOrder order, const Shape& shape, const Preprocessing& preprocessing,
                   float* values) {
  const ImageShape image = image_shape(shape);
  const int64_t plane = image.pixels(), channels = image.channels;
  const bool from_planes = order == PixelOrder::kNchw, to_planes = image_channels_axis(shape) == 1;
  const int64_t from = from_planes ? 1 : channels, to = to_planes ? 1 : channels;  // strides between pixels
  for (int64_t i = 0; i < image.images * channels; ++i) {
    const int64_t c = i % channels, start = (i - c) * plane;
    const int64_t source = preprocessing.bgr ? channels - 1 - c : c;
    const uint8_t* in = pixels + start + source * (from_planes ? plane : 1);
    float* out = values + start + c * (to_planes ? plane : 1);
    const float mean = preprocessing.mean[static_cast<size_t>(c)];
    const float scale = preprocessing.scale[static_cast<size_t>(c)];
    for (int64_t pixel = 0; pixel < plane; ++pixel)
      out[pixel * to] = (static_cast<float>(in[pixel * from]) - mean) * scale;
  }
}

}  // namespace nestrt
