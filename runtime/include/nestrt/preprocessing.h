// Preprocessing: how an image becomes an input: x = (pixel - mean) * scale by channel, pixels 0..255.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

struct Preprocessing {
  std::vector<float> mean;   // one per channel, in the input's channel order
  std::vector<float> scale;  // one per channel
  uint32_t resize = 0;       // shorter side before the centre crop; 0: resize to the input's size
  bool bgr = false;          // channel order of the input
  bool letterbox = false;    // all of it, resized to fit into the input, centred, pixels of `pad` beside it
  uint8_t pad = 0;
};

}  // namespace nestrt
