// SPDX-License-Identifier: Apache-2.0
// The inner loop of conv.f32.depthwise16, one function per instruction set.
#pragma once

#include "kernels/common/math/activation.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Consecutive output rows in one depth plane and one block of 16 channels.
struct DepthwiseRows {
  const ConvGeometry* geometry = nullptr;
  const float* input = nullptr;     // the plane of the block in the image
  const float* weights = nullptr;   // [taps][16]
  const float* bias = nullptr;      // 16, or null
  const float* residual = nullptr;  // residual of the first row, or null
  float* output = nullptr;          // output of the first row
  int64_t z = 0;
  int64_t first = 0, last = 0;  // the rows
  Activation activation;
};

using DepthwiseFunction = void (*)(const DepthwiseRows& rows);
// Returns the implementation for the current instruction set.
DepthwiseFunction depthwise_function();

}  // namespace nestrt::kernels
