// What becomes of the sums of an s8 tile (kernels/common/gemm_s8/s8_tile.h): s8 or wide f32 outputs, as
// kernels/common/quantization/s8_arithmetic.h or, with scales, kernels/common/quantization/s8c_arithmetic.h defines
// them, in one function for every instruction set.
#pragma once

#include <cstdint>

#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::kernels {

struct S8Finish {
  const int32_t* sums = nullptr;  // [points][blocks * 16], with the rounding terms of the shifts added
  int64_t points = 0;
  int64_t blocks = 0;
  const int32_t* shift = nullptr;  // blocks * 16: how far to the right each output goes
  s8::Bounds bounds;               // the output's

  // With a residual the sums become s8 without bounds, to which it is added.
  const int8_t* residual = nullptr;
  s8::AddShifts add;
  int32_t add_rounding = 0;  // the rounding term of add.right

  // Where there are scales, sums are multiplied by these and hold no rounding terms; of the above only the bounds
  // apply. The results are s8, rounded and moved by `output_zero`, or where `wide`, floats without bounds.
  const float* scale = nullptr;  // blocks * 16
  int32_t output_zero = 0;
  float* wide = nullptr;

  int8_t* output = nullptr;
  // Elements between points and between blocks, of the output and the residual.
  int64_t point_stride = 0;
  int64_t block_stride = 0;
  int64_t last_lanes = 16;  // outputs of the last block that exist: no others are written

  // To where the outputs of points behind so many go.
  void advance(int64_t by) {
    if (residual != nullptr) residual += by * point_stride;
    if (output != nullptr) output += by * point_stride;
    if (wide != nullptr) wide += by * point_stride;
  }
};

using S8FinishFunction = void (*)(const S8Finish& finish);
// The implementation for the current instruction set.
S8FinishFunction s8_finish_function();

}  // namespace nestrt::kernels
