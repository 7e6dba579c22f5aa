// SPDX-License-Identifier: Apache-2.0
// Separable resampling following Pillow's src/libImaging/Resample.c, for 8-bit channels and the triangle filter.
#include <algorithm>
#include <cmath>

#include "tools/support/image/image.h"

namespace nestrt::tools {
namespace {

constexpr int kPrecisionBits = 32 - 8 - 2;

// The input pixels [first, first + weights.size()) of one output pixel.
struct Window {
  int first = 0;
  std::vector<int32_t> weights;  // fixed point; the sum is 1 << kPrecisionBits up to rounding
};

std::vector<Window> make_windows(int in_size, int out_size) {
  const double scale = static_cast<double>(in_size) / out_size;
  const double support = std::max(scale, 1.0);
  std::vector<Window> windows(static_cast<size_t>(out_size));
  std::vector<double> weights;
  for (int out = 0; out < out_size; ++out) {
    const double centre = (out + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int last = std::min(in_size, static_cast<int>(centre + support + 0.5));
    weights.clear();
    double sum = 0;
    for (int in = first; in < last; ++in) {
      weights.push_back(std::max(0.0, 1.0 - std::abs((in - centre + 0.5) / support)));
      sum += weights.back();
    }
    Window& window = windows[static_cast<size_t>(out)];
    window.first = first;
    for (const double weight : weights) {
      window.weights.push_back(static_cast<int32_t>(0.5 + weight / sum * (1 << kPrecisionBits)));
    }
  }
  return windows;
}

// Returns the weighted sum of pixels that are `stride` bytes apart.
uint8_t weigh(const uint8_t* first, size_t stride, const std::vector<int32_t>& weights) {
  int32_t sum = 1 << (kPrecisionBits - 1);
  for (size_t i = 0; i < weights.size(); ++i) sum += first[i * stride] * weights[i];
  return static_cast<uint8_t>(std::clamp(sum >> kPrecisionBits, 0, 255));
}

Image resize_rows(const Image& image, int width) {
  const std::vector<Window> windows = make_windows(image.width, width);
  Image result{width, image.height, image.channels, {}};
  const auto channels = static_cast<size_t>(image.channels);
  result.pixels.reserve(static_cast<size_t>(width) * static_cast<size_t>(image.height) * channels);
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = &image.pixels[static_cast<size_t>(y) * static_cast<size_t>(image.width) * channels];
    for (const Window& window : windows) {
      for (size_t c = 0; c < channels; ++c) {
        result.pixels.push_back(
            weigh(row + static_cast<size_t>(window.first) * channels + c, channels, window.weights));
      }
    }
  }
  return result;
}

Image resize_columns(const Image& image, int height) {
  Image result{image.width, height, image.channels, {}};
  const size_t row_bytes = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels);
  result.pixels.reserve(row_bytes * static_cast<size_t>(height));
  for (const Window& window : make_windows(image.height, height)) {
    const uint8_t* rows = &image.pixels[static_cast<size_t>(window.first) * row_bytes];
    for (size_t x = 0; x < row_bytes; ++x) result.pixels.push_back(weigh(rows + x, row_bytes, window.weights));
  }
  return result;
}

}  // namespace

Image resize(const Image& image, int width, int height) {
  Image result = width == image.width ? image : resize_rows(image, width);
  return height == image.height ? result : resize_columns(result, height);
}

}  // namespace nestrt::tools
