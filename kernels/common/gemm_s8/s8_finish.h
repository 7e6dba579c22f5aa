// SPDX-License-Identifier: Apache-2.0
// The epilogue of an s8 tile (kernels/common/gemm_s8/s8_tile.h). It converts sums to s8 or wide f32 outputs, as defined
// in kernels/common/quantization/s8_arithmetic.h or, with scales, in kernels/common/quantization/s8c_arithmetic.h.
// There is one function per instruction set.
#pragma once

#include <cstdint>

#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::kernels {

struct S8Finish {
  const int32_t* sums = nullptr;  // [points][blocks * 16], including the rounding terms of the shifts
  int64_t points = 0;
  int64_t blocks = 0;
  const int32_t* shift = nullptr;  // blocks * 16: right shift of each output
  s8::Rounding rounding = s8::Rounding::kHalfUp;
  s8::Bounds bounds;  // bounds of the output

  // If there is a residual, sums are first converted to s8 without applying the bounds, and then the residual is added.
  const int8_t* residual = nullptr;
  s8::AddShifts add;

  // With scales, each sum is multiplied by its scale and contains no rounding term. Of the fields above, only `bounds`
  // applies. Results are s8, rounded and offset by `output_zero`; if `wide` is set, they are floats without bounds.
  const float* scale = nullptr;  // blocks * 16
  int32_t output_zero = 0;
  float* wide = nullptr;

  int8_t* output = nullptr;
  // Number of elements between points and between blocks, for output and residual.
  int64_t point_stride = 0;
  int64_t block_stride = 0;
  int64_t last_lanes = 16;  // number of valid outputs in the last block; no others are written

  bool is_half_even() const { return rounding == s8::Rounding::kHalfEven; }

  // Advances the output addresses by a number of points.
  void advance(int64_t by) {
    if (residual != nullptr) residual += by * point_stride;
    if (output != nullptr) output += by * point_stride;
    if (wide != nullptr) wide += by * point_stride;
  }
};

using S8FinishFunction = void (*)(const S8Finish& finish);
// Returns the implementation for the current instruction set.
S8FinishFunction s8_finish_function();

}  // namespace nestrt::kernels
