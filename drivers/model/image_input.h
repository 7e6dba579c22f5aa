// SPDX-License-Identifier: Apache-2.0
// Converts 8-bit images to the f32 input of a plan, using the plan's preprocessing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nestrt/preprocessing.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"

namespace nestrt {

enum class PixelOrder : uint8_t { kNhwc, kNchw };

// Returns the pixel order of an image of shape `actual` for an input of shape `expected`; kNhwc if `actual` is not
// given. Errors: kInvalidArgument if the size differs or the input cannot be an image.
Result<PixelOrder> pixel_order(std::string_view input, const Shape& expected, const std::optional<Shape>& actual,
                               const Preprocessing& preprocessing);

// Writes (pixel - mean) * scale in the order of the input. Requires: pixel_order() returned `order` for the input;
// `pixels` and `values` have shape.num_elements() elements; pixels are RGB or grayscale.
void convert_image(const uint8_t* pixels, PixelOrder order, const Shape& shape, const Preprocessing& preprocessing,
                   float* values);

}  // namespace nestrt
