// The inner loop of conv.f32.depthwise16, in one function for every instruction set.
#pragma once

#include "kernels/common/activation.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// One row of outputs of one block of 16 channels.
struct DepthwiseRow {
  const ConvGeometry* geometry = nullptr;
  const float* input = nullptr;     // the block's plane of the image
  const float* weights = nullptr;   // [taps][16]
  const float* bias = nullptr;      // 16, or null
  const float* residual = nullptr;  // of the row, or null
  float* output = nullptr;          // of the row
  int64_t z = 0, y = 0;             // the row
  Activation activation;
};

using DepthwiseRowFunction = void (*)(const DepthwiseRow& row);
// The implementation for the current instruction set.
DepthwiseRowFunction depthwise_row_function();

}  // namespace nestrt::kernels
