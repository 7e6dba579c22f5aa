// SPDX-License-Identifier: Apache-2.0
// The reference of resizing, in plain loops.
#include <algorithm>

#include "runtime/image/resampling.h"
#include "tools/support/image/image.h"

namespace nestrt::tools {
namespace {

// Returns output `out` of the resampling of pixels that are `stride` bytes apart.
uint8_t weigh(const Resampling& resampling, size_t out, const uint8_t* pixels, size_t stride) {
  const auto taps = static_cast<size_t>(resampling.taps), first = static_cast<size_t>(resampling.firsts[out]);
  int32_t sum = 1 << (kResamplingBits - 1);
  for (size_t i = 0; i < taps; ++i) sum += pixels[(first + i) * stride] * resampling.weights[out * taps + i];
  return resampled_pixel(sum);
}

Image resize_rows(const Image& image, int width) {
  const Resampling resampling = make_resampling({image.width, width, 0, width});
  Image result{width, image.height, image.channels, {}};
  const auto channels = static_cast<size_t>(image.channels);
  result.pixels.reserve(static_cast<size_t>(width) * static_cast<size_t>(image.height) * channels);
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = &image.pixels[static_cast<size_t>(y) * static_cast<size_t>(image.width) * channels];
    for (size_t x = 0; x < static_cast<size_t>(width); ++x)
      for (size_t c = 0; c < channels; ++c) result.pixels.push_back(weigh(resampling, x, row + c, channels));
  }
  return result;
}

Image resize_columns(const Image& image, int height) {
  const Resampling resampling = make_resampling({image.height, height, 0, height});
  Image result{image.width, height, image.channels, {}};
  const size_t row_bytes = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels);
  result.pixels.reserve(row_bytes * static_cast<size_t>(height));
  for (size_t y = 0; y < static_cast<size_t>(height); ++y)
    for (size_t x = 0; x < row_bytes; ++x)
      result.pixels.push_back(weigh(resampling, y, image.pixels.data() + x, row_bytes));
  return result;
}

Image interpolate_image(const Image& image, int width, int height) {
  const Interpolation columns = make_interpolation({image.width, width, 0, width});
  const Interpolation rows = make_interpolation({image.height, height, 0, height});
  const auto pixel = [&](int y, int x, int channel) {
    const int64_t at = int64_t{std::min(y, image.height - 1)} * image.width + std::min(x, image.width - 1);
    return image.pixels[static_cast<size_t>(at * image.channels + channel)] << kInterpolationBits;
  };
  Image result{width, height, image.channels, {}};
  for (size_t y = 0; y < rows.firsts.size(); ++y) {
    for (size_t x = 0; x < columns.firsts.size(); ++x) {
      for (int c = 0; c < image.channels; ++c) {
        const auto row = [&](int at) {
          const int first = columns.firsts[x];
          return interpolate(pixel(at, first, c), pixel(at, first + 1, c), columns.weights[x]);
        };
        const int value = interpolate(row(rows.firsts[y]), row(rows.firsts[y] + 1), rows.weights[y]);
        result.pixels.push_back(interpolated_pixel(value));
      }
    }
  }
  return result;
}

}  // namespace

Image resize(const Image& image, int width, int height, bool antialias) {
  if (!antialias) return interpolate_image(image, width, height);
  Image result = width == image.width ? image : resize_rows(image, width);
  return height == image.height ? result : resize_columns(result, height);
}

}  // namespace nestrt::tools
