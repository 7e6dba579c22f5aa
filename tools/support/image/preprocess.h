// SPDX-License-Identifier: Apache-2.0
// Converts an image to a network's input, according to the plan's Preprocessing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "tools/support/image/image.h"

namespace nestrt::tools {

// Converts an image to `input`, f32 or u8 of [1, C, H, W], or [1, H, W, C] if only the last dimension is 1 or 3. C = 1
// uses the luminance.
//   resize = N:  scales the shorter side to N (the longer in proportion, rounded down) and crops the centre HxW, as
//                torchvision's Resize(N) and CenterCrop
//   resize = 0:  stretches the image to HxW
//   letterbox:   scales the image in proportion to the largest size within HxW, centred, with pixels of `pad` around
// No resampling occurs if the size already matches. Then x = (pixel - mean) * scale by channel of the input.
// Errors: kInvalidArgument if the input is not an image, the resized image is smaller than the input, or mean and scale
// do not have one value per channel.
Result<std::vector<float>> preprocess(const Image& image, const Preprocessing& preprocessing, const TensorInfo& input);

// Stores preprocessed values as elements of an input: f32, or u8 rounded to the nearest integer and clamped to 0 to
// 255.
void store_elements(std::span<const float> values, DataType type, std::byte* elements);

// The position and size of the whole image in input pixels. It extends beyond the input if the image is cropped. It
// maps positions in the network's output back to the image.
struct ImagePlace {
  double left = 0, top = 0, width = 0, height = 0;
};
// Errors: those of preprocess().
Result<ImagePlace> place_of_image(int width, int height, const Preprocessing& preprocessing, const TensorInfo& input);

}  // namespace nestrt::tools
