// SPDX-License-Identifier: Apache-2.0
// Finds the channel dimension of an image input.
#pragma once

#include "nestrt/shape.h"

namespace nestrt {

// Returns whether a dimension can hold luminance or three colours.
constexpr bool is_image_channels(int64_t dim) { return dim == 1 || dim == 3; }

// Returns 1 for [N, C, H, W], or 3 for [N, H, W, C] if only the last dimension is 1 or 3. Requires: rank 4.
inline int image_channels_axis(const Shape& shape) {
  return !is_image_channels(shape[1]) && is_image_channels(shape[3]) ? 3 : 1;
}

}  // namespace nestrt
