// SPDX-License-Identifier: Apache-2.0
// The geometry of preprocessing: the size to which an image is resized, and its position in an input.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nestrt/preprocessing.h"
#include "nestrt/result.h"

namespace nestrt {

inline constexpr int64_t kMaxPixels = int64_t{1} << 26;

struct ImageSize {
  int width = 0, height = 0;
};

// The resized image in pixels of the input. If it is cropped, `left` or `top` is negative and it extends beyond the
// input; in a letterbox it covers a part of the input.
struct ImageFit {
  ImageSize size;
  int left = 0, top = 0;
};

// Requires: sizes above 0. Errors: kInvalidArgument if the resized image is smaller than the input without a letterbox,
// or has more than kMaxPixels.
Result<ImageFit> fit_image(ImageSize image, const Preprocessing& preprocessing, ImageSize input);

// Returns one value per channel; an empty list means `neutral`, and one value applies to all. `what` names the values
// in the message. Errors: kInvalidArgument for another number of values.
Result<std::vector<float>> values_by_channel(const std::vector<float>& values, int channels, float neutral,
                                             std::string_view what);

}  // namespace nestrt
