// SPDX-License-Identifier: Apache-2.0
// The shape of an image input.
#pragma once

#include "nestrt/shape.h"

namespace nestrt {

// Returns whether a dimension can hold luminance or three colours.
constexpr bool is_image_channels(int64_t dim) { return dim == 1 || dim == 3; }

// Returns 1 for [N, C, H, W], or 3 for [N, H, W, C] if only the last dimension is 1 or 3. Requires: rank 4.
inline int image_channels_axis(const Shape& shape) {
  return !is_image_channels(shape[1]) && is_image_channels(shape[3]) ? 3 : 1;
}

// The shape of an image input of either order.
struct ImageShape {
  int64_t images = 0, channels = 0, height = 0, width = 0;
  bool channels_last = false;

  int64_t pixels() const { return height * width; }
  Shape nhwc() const { return {images, height, width, channels}; }
  Shape nchw() const { return {images, channels, height, width}; }
};

// Requires: rank 4.
inline ImageShape image_shape(const Shape& shape) {
  if (image_channels_axis(shape) == 1) return {shape[0], shape[1], shape[2], shape[3], false};
  return {shape[0], shape[3], shape[1], shape[2], true};
}

}  // namespace nestrt
