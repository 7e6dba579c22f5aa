// Converts an image to a network's input, according to the plan's Preprocessing.
#pragma once

#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "tools/support/image/image.h"

namespace nestrt::tools {

// `input` is [1, C, H, W], or [1, H, W, C] where only the last dimension is 1 or 3; C = 1 takes the luminance.
//   resize = N:  the shorter side becomes N (the longer in proportion, rounded down), then the centre HxW is cut out,
//                as torchvision's Resize(N) and CenterCrop do
//   resize = 0:  the image becomes HxW, whatever its proportions
//   letterbox:   the image keeps them, and becomes as large as fits into HxW; it lies in the middle, pixels of `pad`
//                on both sides
// No resampling takes place where the size is right already. Then x = (pixel - mean) * scale by channel of the input.
// Errors: kInvalidArgument, where the input is no image, the resized image is smaller than the input, or mean and
// scale have another number of channels.
Result<std::vector<float>> preprocess(const Image& image, const Preprocessing& preprocessing, const TensorInfo& input);

// The position and size of the whole image in input pixels. It extends beyond the input if the image is cropped. It
// maps positions in the network's output back to the image.
struct ImagePlace {
  double left = 0, top = 0, width = 0, height = 0;
};
// Errors: those of preprocess().
Result<ImagePlace> place_of_image(int width, int height, const Preprocessing& preprocessing, const TensorInfo& input);

}  // namespace nestrt::tools
