// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/preprocess.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/plan/format/image_channels.h"
#include "tools/support/image/image_options.h"

namespace nestrt::tools {
namespace {

struct ImageInput {
  int channels = 0;
  int height = 0;
  int width = 0;
  bool channels_last = false;
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

// Returns one value per channel; an empty list means `neutral`.
Result<std::vector<float>> by_channel(const std::vector<float>& values, int channels, float neutral,
                                      std::string_view what) {
  if (values.empty()) return std::vector<float>(static_cast<size_t>(channels), neutral);
  if (values.size() == static_cast<size_t>(channels)) return values;
  if (values.size() == 1) return std::vector<float>(static_cast<size_t>(channels), values[0]);
  return Status(Code::kInvalidArgument,
                fmt::format("the preprocessing has {} values for {} but the input has {} channels; "
                            "compile the plan with one value per channel",
                            values.size(), what, channels));
}

struct Size {
  int width = 0, height = 0;
};

Result<Size> size_by_shorter_side(Size image, uint32_t shorter) {
  const int64_t side = shorter;
  const int64_t longer = side * std::max(image.width, image.height) / std::min(image.width, image.height);
  if (longer > kMaxPixels / side) {
    return Status(Code::kInvalidArgument,
                  fmt::format("an image of {}x{} with its shorter side resized to {} would have more than {} pixels",
                              image.width, image.height, shorter, kMaxPixels));
  }
  const auto short_side = static_cast<int>(side), long_side = static_cast<int>(longer);
  return image.width <= image.height ? Size{short_side, long_side} : Size{long_side, short_side};
}

// Returns the largest size with the image's proportions inside the input, at least 1 x 1.
Size size_inside(Size image, const ImageInput& input) {
  const double scale =
      std::min(static_cast<double>(input.width) / image.width, static_cast<double>(input.height) / image.height);
  const auto scaled = [scale](int side, int most) {
    return std::clamp(static_cast<int>(std::lround(side * scale)), 1, most);
  };
  return {scaled(image.width, input.width), scaled(image.height, input.height)};
}

// Returns the size of the image after resizing and before cropping or padding.
Result<Size> resized(Size image, const Preprocessing& preprocessing, const ImageInput& input) {
  if (preprocessing.letterbox) return size_inside(image, input);
  if (preprocessing.resize > 0) return size_by_shorter_side(image, preprocessing.resize);
  return Size{input.width, input.height};
}

// Rounds half a pixel to even, as Python's round().
int centre_offset(int size, int window) { return static_cast<int>(std::nearbyint((size - window) / 2.0)); }

Result<Image> crop_centre(const Image& image, int width, int height) {
  if (image.width < width || image.height < height) {
    return Status(Code::kInvalidArgument,
                  fmt::format("the resized image ({}x{}) is smaller than the input ({}x{}); compile the plan with a "
                              "larger --resize, or without",
                              image.width, image.height, width, height));
  }
  const auto channels = static_cast<size_t>(image.channels);
  const auto left = static_cast<size_t>(centre_offset(image.width, width));
  const auto top = static_cast<size_t>(centre_offset(image.height, height));
  const size_t row_bytes = static_cast<size_t>(width) * channels;
  Image result{width, height, image.channels, {}};
  result.pixels.reserve(row_bytes * static_cast<size_t>(height));
  for (size_t y = 0; y < static_cast<size_t>(height); ++y) {
    const uint8_t* row = &image.pixels[((top + y) * static_cast<size_t>(image.width) + left) * channels];
    result.pixels.insert(result.pixels.end(), row, row + row_bytes);
  }
  return result;
}

Image pad_to(const Image& image, const ImageInput& input, uint8_t pixel) {
  const auto channels = static_cast<size_t>(image.channels), width = static_cast<size_t>(input.width);
  const auto left = static_cast<size_t>(centre_offset(input.width, image.width));
  const auto top = static_cast<size_t>(centre_offset(input.height, image.height));
  const size_t row_bytes = static_cast<size_t>(image.width) * channels;
  Image result{input.width, input.height, image.channels, {}};
  result.pixels.resize(width * static_cast<size_t>(input.height) * channels, pixel);
  for (size_t y = 0; y < static_cast<size_t>(image.height); ++y)
    std::copy_n(&image.pixels[y * row_bytes], row_bytes, &result.pixels[((top + y) * width + left) * channels]);
  return result;
}

Result<Image> fit(const Image& image, const Preprocessing& preprocessing, const ImageInput& input) {
  NESTRT_ASSIGN_OR_RETURN(const Size size, resized({image.width, image.height}, preprocessing, input));
  const Image scaled = resize(image, size.width, size.height);
  if (preprocessing.letterbox) return pad_to(scaled, input, preprocessing.pad);
  return crop_centre(scaled, input.width, input.height);
}

}  // namespace

Result<std::vector<float>> preprocess(const Image& image, const Preprocessing& preprocessing, const TensorInfo& input) {
  NESTRT_ASSIGN_OR_RETURN(const ImageInput target, image_input(input));
  NESTRT_RETURN_IF_ERROR(check_factors(preprocessing));
  NESTRT_ASSIGN_OR_RETURN(const auto mean, by_channel(preprocessing.mean, target.channels, 0.0f, "the mean"));
  NESTRT_ASSIGN_OR_RETURN(const auto scale, by_channel(preprocessing.scale, target.channels, 1.0f, "the scale"));
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
  NESTRT_ASSIGN_OR_RETURN(const Size size, resized({width, height}, preprocessing, target));
  const auto offset = [](int side, int input_side) {
    return input_side >= side ? centre_offset(input_side, side) : -centre_offset(side, input_side);
  };
  return ImagePlace{static_cast<double>(offset(size.width, target.width)),
                    static_cast<double>(offset(size.height, target.height)), static_cast<double>(size.width),
                    static_cast<double>(size.height)};
}

}  // namespace nestrt::tools
