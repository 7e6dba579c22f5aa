// SPDX-License-Identifier: Apache-2.0
#include "runtime/image/image_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace nestrt {
namespace {

Result<ImageSize> size_by_shorter_side(ImageSize image, uint32_t shorter) {
  const int64_t side = shorter;
  const int64_t longer = side * std::max(image.width, image.height) / std::min(image.width, image.height);
  if (longer > kMaxPixels / side) {
    return Status(Code::kInvalidArgument,
                  fmt::format("an image of {}x{} with its shorter side resized to {} would have more than {} pixels",
                              image.width, image.height, shorter, kMaxPixels));
  }
  const auto short_side = static_cast<int>(side), long_side = static_cast<int>(longer);
  return image.width <= image.height ? ImageSize{short_side, long_side} : ImageSize{long_side, short_side};
}

// Returns the largest size with the image's proportions inside the input, at least 1 x 1.
ImageSize size_inside(ImageSize image, ImageSize input) {
  const double scale =
      std::min(static_cast<double>(input.width) / image.width, static_cast<double>(input.height) / image.height);
  const auto scaled = [scale](int side, int most) {
    return std::clamp(static_cast<int>(std::lround(side * scale)), 1, most);
  };
  return {scaled(image.width, input.width), scaled(image.height, input.height)};
}

// Returns the size of the image after resizing and before cropping or padding.
Result<ImageSize> resized(ImageSize image, const Preprocessing& preprocessing, ImageSize input) {
  if (preprocessing.letterbox) return size_inside(image, input);
  if (preprocessing.resize > 0) return size_by_shorter_side(image, preprocessing.resize);
  return input;
}

// Rounds half a pixel to even, as Python's round().
int centre_offset(int size, int window) { return static_cast<int>(std::nearbyint((size - window) / 2.0)); }

}  // namespace

Result<ImageFit> fit_image(ImageSize image, const Preprocessing& preprocessing, ImageSize input) {
  NESTRT_ASSIGN_OR_RETURN(const ImageSize size, resized(image, preprocessing, input));
  if (preprocessing.letterbox)
    return ImageFit{size, centre_offset(input.width, size.width), centre_offset(input.height, size.height)};
  if (size.width < input.width || size.height < input.height) {
    return Status(Code::kInvalidArgument,
                  fmt::format("the resized image ({}x{}) is smaller than the input ({}x{}); compile the plan with a "
                              "larger --resize, or without",
                              size.width, size.height, input.width, input.height));
  }
  return ImageFit{size, -centre_offset(size.width, input.width), -centre_offset(size.height, input.height)};
}

Result<std::vector<float>> values_by_channel(const std::vector<float>& values, int channels, float neutral,
                                             std::string_view what) {
  if (values.empty()) return std::vector<float>(static_cast<size_t>(channels), neutral);
  if (values.size() == static_cast<size_t>(channels)) return values;
  if (values.size() == 1) return std::vector<float>(static_cast<size_t>(channels), values[0]);
  return Status(Code::kInvalidArgument,
                fmt::format("the preprocessing has {} values for {} but the input has {} channels; "
                            "compile the plan with one value per channel",
                            values.size(), what, channels));
}

}  // namespace nestrt
