// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/preprocess.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/image/image_fit.h"
#include "runtime/plan/format/image_channels.h"
#include "tools/support/image/image_options.h"

namespace nestrt::tools {
namespace {

struct ImageInput {
  int channels = 0;
  int height = 0;
  int width = 0;
  bool channels_last = false;

  ImageSize size() const { return {width, height}; }
};

Result<ImageInput> image_input(const TensorInfo& input) {
  const Shape& shape = input.shape;
  const bool has_pixels = input.type == DataType::kF32 || input.type == DataType::kU8;
  const bool is_image = has_pixels && shape.rank() == 4 && shape[0] == 1 &&
                        is_image_channels(shape[image_channels_axis(shape)]) && shape.num_elements() > 0 &&
                        shape.num_elements() <= 3 * kMaxPixels;
  if (!is_image) {
    return Status(
        Code::kInvalidArgument,
        fmt::format("input '{}' ({} {}) does not accept images: expected f32 or u8 1xCxHxW or 1xHxWxC with 1 or 3 "
                    "channels; give it an array: nestrt run --input {}=FILE.npy",
                    input.name, name(input.type), shape.to_string(), input.name));
  }
  const auto dim = [&](int axis) { return static_cast<int>(shape[axis]); };
  if (image_channels_axis(shape) == 3) return ImageInput{dim(3), dim(1), dim(2), true};
  return ImageInput{dim(1), dim(2), dim(3), false};
}

// Copies the part of the resized image inside the input, and fills the rest with `pad`.
Image place_in(const ImageInput& input, const Image& image, const ImageFit& fit, uint8_t pad) {
  const auto channels = static_cast<size_t>(image.channels);
  const auto offset = [&](const Image& of, int x, int y) {
    return (static_cast<size_t>(y) * static_cast<size_t>(of.width) + static_cast<size_t>(x)) * channels;
  };
  Image result{input.width, input.height, image.channels, {}};
  result.pixels.resize(offset(result, 0, input.height), pad);
  const int left = std::max(fit.left, 0), right = std::min(fit.left + image.width, input.width);
  const int top = std::max(fit.top, 0), bottom = std::min(fit.top + image.height, input.height);
  for (int y = top; y < bottom; ++y)
    std::copy_n(&image.pixels[offset(image, left - fit.left, y - fit.top)],
                static_cast<size_t>(right - left) * channels, &result.pixels[offset(result, left, y)]);
  return result;
}

Result<Image> fit(const Image& image, const Preprocessing& preprocessing, const ImageInput& input) {
  NESTRT_ASSIGN_OR_RETURN(const ImageFit place, fit_image({image.width, image.height}, preprocessing, input.size()));
  const Image scaled = resize(image, place.size.width, place.size.height, preprocessing.antialias);
  return place_in(input, scaled, place, preprocessing.pad);
}

}  // namespace

Result<std::vector<float>> preprocess(const Image& image, const Preprocessing& preprocessing, const TensorInfo& input) {
  NESTRT_ASSIGN_OR_RETURN(const ImageInput target, image_input(input));
  NESTRT_RETURN_IF_ERROR(check_factors(preprocessing));
  NESTRT_ASSIGN_OR_RETURN(const auto mean, values_by_channel(preprocessing.mean, target.channels, 0.0f, "the mean"));
  NESTRT_ASSIGN_OR_RETURN(const auto scale, values_by_channel(preprocessing.scale, target.channels, 1.0f, "the scale"));
  NESTRT_ASSIGN_OR_RETURN(const Image fitted, fit(to_channels(image, target.channels), preprocessing, target));

  const auto channels = static_cast<size_t>(target.channels);
  const size_t num_pixels = fitted.pixels.size() / channels;
  std::vector<float> values(fitted.pixels.size());
  for (size_t c = 0; c < channels; ++c) {
    const size_t source = preprocessing.bgr ? channels - 1 - c : c;
    for (size_t i = 0; i < num_pixels; ++i) {
      const size_t position = target.channels_last ? i * channels + c : c * num_pixels + i;
      values[position] = (static_cast<float>(fitted.pixels[i * channels + source]) - mean[c]) * scale[c];
    }
  }
  return values;
}

void store_elements(std::span<const float> values, DataType type, std::byte* elements) {
  if (type == DataType::kF32) {
    std::memcpy(elements, values.data(), values.size_bytes());
    return;
  }
  for (size_t i = 0; i < values.size(); ++i)
    elements[i] = static_cast<std::byte>(std::lrint(std::clamp(values[i], 0.0f, 255.0f)));
}

Result<ImagePlace> place_of_image(int width, int height, const Preprocessing& preprocessing, const TensorInfo& input) {
  NESTRT_ASSIGN_OR_RETURN(const ImageInput target, image_input(input));
  NESTRT_ASSIGN_OR_RETURN(const ImageFit fit, fit_image({width, height}, preprocessing, target.size()));
  return ImagePlace{static_cast<double>(fit.left), static_cast<double>(fit.top), static_cast<double>(fit.size.width),
                    static_cast<double>(fit.size.height)};
}

}  // namespace nestrt::tools
