// SPDX-License-Identifier: Apache-2.0
// The transforms of the Winograd convolution F(4 x 4, 3 x 3) for vectors of 8 and 16 lanes. See
// kernels/conv/winograd/winograd.h for the mathematics.
#pragma once

#include <cstdint>

#include "kernels/common/math/activation.h"

namespace nestrt::kernels {

// 6 x 6 pixels of 16 channels, in rows `row` floats apart.
struct WideWindow {
  const float* from = nullptr;
  int64_t row = 0;
  float* to = nullptr;  // 16 floats for each position, `step` apart
  int64_t step = 0;
};

// A tile of outputs in one block. Of its 4 x 4 pixels, only `height` x `width` are valid.
struct WideTile {
  const float* from = nullptr;  // 16 floats for each position, `step` apart
  int64_t step = 0;
  const float* bias = nullptr;      // 16, or null
  const float* residual = nullptr;  // laid out like output, or null
  float* output = nullptr;          // rows are `row` floats apart
  int64_t row = 0;
  int64_t height = 0, width = 0;
  Activation activation;
};

struct WideTransforms {
  void (*input)(const WideWindow& window);
  void (*output)(const WideTile& tile);
};
// Returns the transforms for the current instruction set.
WideTransforms wide_transforms();

}  // namespace nestrt::kernels
