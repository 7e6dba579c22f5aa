// SPDX-License-Identifier: Apache-2.0
// The inner loop of conv_transpose.f32.depthwise16, one function per instruction set.
#pragma once

#include <cstdint>

#include "kernels/common/math/activation.h"
#include "kernels/conv_transpose/phases.h"

namespace nestrt::kernels {

// A row of outputs of one phase, in one block of 16 channels.
struct TransposedRow {
  const float* const* lines = nullptr;    // input rows that it reads
  const float* const* weights = nullptr;  // weights of each input row: [taps][16]
  int64_t num_lines = 0;
  int64_t width = 0;  // width of the input rows
  PhaseTaps taps;     // taps along the width
  int64_t outputs = 0;
  const float* bias = nullptr;      // 16, or null
  const float* residual = nullptr;  // residual with the strides of the output, or null
  float* output = nullptr;
  int64_t step = 0;  // floats between outputs
  Activation activation;
};

using TransposedRowFunction = void (*)(const TransposedRow& row);
// Returns the implementation for the current instruction set.
TransposedRowFunction transposed_row_function();

}  // namespace nestrt::kernels
