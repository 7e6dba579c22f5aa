// SPDX-License-Identifier: Apache-2.0
// Preprocessing: how an image is converted to an input: x = (pixel - mean) * scale per channel, with pixels from 0 to
// 255.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

struct Preprocessing {
  std::vector<float> mean;   // per channel, in the input's channel order
  std::vector<float> scale;  // per channel
  uint32_t resize = 0;       // length of the shorter side before the centre crop; 0: resize to the input's size
  bool bgr = false;          // the input's channel order is blue, green, red
  bool letterbox = false;    // resize the whole image to fit, centre it, and fill the rest with `pad`
  uint8_t pad = 0;
  // When shrinking, average all pixels, as Pillow and torchvision do. If false, interpolate only between the nearest
  // pixels, as OpenCV's INTER_LINEAR does.
  bool antialias = true;
};

}  // namespace nestrt
