#include "tools/common/preprocess.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace nestrt::tools {
namespace {

struct PictureInput {
  int channels = 0;
  int height = 0;
  int width = 0;
  bool channels_last = false;
};

bool is_channels(int64_t dim) { return dim == 1 || dim == 3; }

Result<PictureInput> picture_input(const TensorInfo& input) {
  const Shape& shape = input.shape;
  const bool is_picture = input.type == DataType::kF32 && shape.rank() == 4 && shape[0] == 1 &&
                          (is_channels(shape[1]) || is_channels(shape[3])) && shape.num_elements() > 0 &&
                          shape.num_elements() <= 3 * kMaxPixels;
  if (!is_picture) {
    return Status(Code::kInvalidArgument,
                  fmt::format("input '{}' ({} {}) does not take a picture: expected f32 1xCxHxW or 1xHxWxC with 1 or 3 "
                              "channels; pass it as --input {}=FILE.npy",
                              input.name, name(input.type), shape.to_string(), input.name));
  }
  const bool last = !is_channels(shape[1]);
  const auto dim = [&](int axis) { return static_cast<int>(shape[axis]); };
  if (last) return PictureInput{dim(3), dim(1), dim(2), true};
  return PictureInput{dim(1), dim(2), dim(3), false};
}

// One value per channel; an empty list stands for `neutral`.
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

Result<Image> resize_shorter_side(const Image& image, uint32_t shorter) {
  const int64_t side = shorter;
  const bool portrait = image.width <= image.height;
  const int64_t longer = side * std::max(image.width, image.height) / std::min(image.width, image.height);
  if (longer > kMaxPixels / side) {
    return Status(Code::kInvalidArgument,
                  fmt::format("a picture of {}x{} with its shorter side resized to {} would have more than {} pixels",
                              image.width, image.height, shorter, kMaxPixels));
  }
  const auto short_side = static_cast<int>(side), long_side = static_cast<int>(longer);
  return portrait ? resize(image, short_side, long_side) : resize(image, long_side, short_side);
}

// Half a pixel rounds to the even side, as Python's round().
int centre_offset(int size, int window) { return static_cast<int>(std::nearbyint((size - window) / 2.0)); }

Result<Image> crop_centre(const Image& image, int width, int height) {
  if (image.width < width || image.height < height) {
    return Status(Code::kInvalidArgument,
                  fmt::format("the resized picture ({}x{}) is smaller than the input ({}x{}); compile the plan with a "
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

Result<Image> fit(const Image& image, uint32_t shorter, const PictureInput& input) {
  if (shorter == 0) return resize(image, input.width, input.height);
  NESTRT_ASSIGN_OR_RETURN(const Image resized, resize_shorter_side(image, shorter));
  return crop_centre(resized, input.width, input.height);
}

}  // namespace

Result<std::vector<float>> preprocess(const Image& image, const Preprocessing& preprocessing, const TensorInfo& input) {
  NESTRT_ASSIGN_OR_RETURN(const PictureInput target, picture_input(input));
  NESTRT_ASSIGN_OR_RETURN(const auto mean, by_channel(preprocessing.mean, target.channels, 0.0f, "the mean"));
  NESTRT_ASSIGN_OR_RETURN(const auto scale, by_channel(preprocessing.scale, target.channels, 1.0f, "the scale"));
  NESTRT_ASSIGN_OR_RETURN(const Image fitted, fit(to_channels(image, target.channels), preprocessing.resize, target));

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

}  // namespace nestrt::tools
