// SPDX-License-Identifier: Apache-2.0
// Describes 8-bit tensors of images as frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "nestrt/frame.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"

namespace nestrt {

enum class PixelOrder : uint8_t { kNhwc, kNchw };

// Returns the pixel order of an image of shape `actual` for an input of shape `expected`; kNhwc if `actual` is not
// given. Errors: kInvalidArgument if the size differs or the input cannot be an image.
Result<PixelOrder> pixel_order(std::string_view input, const Shape& expected, const std::optional<Shape>& actual,
                               const Preprocessing& preprocessing);

// Returns image `index` of RGB or grayscale pixels that fill an input of this shape. Requires: pixel_order() returned
// `order` for the input.
Frame image_frame(const uint8_t* pixels, PixelOrder order, const Shape& shape, size_t index);

}  // namespace nestrt
