// SPDX-License-Identifier: Apache-2.0
// The inner loops of the depthwise s8 convolutions, for each instruction set.
#pragma once

#include "kernels/common/gemm_s8/s8_finish.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Consecutive output rows of one block of 16 channels, at one depth position.
struct S8DepthwiseRows {
  const ConvGeometry* geometry = nullptr;
  const int8_t* input = nullptr;    // the plane of the block in the image
  const int8_t* weights = nullptr;  // [taps][16], or the order of S8DepthwiseDot4
  const int32_t* start = nullptr;   // 16: bias and rounding term
  int8_t zero = 0;                  // subtracted from every input, except with dot products of four
  int64_t z = 0, y = 0;             // the first row
  int64_t count = 0;
  int32_t* sums = nullptr;  // [count][width][16]
  // If not null, s8 outputs are written instead of sums. Requires: no residual, and S8DepthwiseDot4::has_three_rows().
  const S8Finish* finish = nullptr;
};

using S8DepthwiseFunction = void (*)(const S8DepthwiseRows& rows);
// Returns the implementation for the current instruction set.
S8DepthwiseFunction s8_depthwise_function();

// Returns a function for 3 x 3 kernels that adds the products of neighbouring taps (2 i and 2 i + 1) in 16 bits, or
// null if no such function exists. Requires: no pair of neighbouring weights is -128 and -128, and the input's zero
// point is 0.
S8DepthwiseFunction s8_depthwise_pairs_function(const ConvGeometry& geometry);

// Dot products of four neighbouring taps of a kernel row. Weights are [rows][vectors][16 channels][4 taps]. The caller
// subtracts (128 + the zero point of the input) times the sum of the weights from `start`. With `pairs`, a row has two
// vectors; the taps of the second are shifted by one, so that four pixels give two outputs. Without `pairs`, a row has
// one vector for every four taps.
struct S8DepthwiseDot4 {
  static constexpr int64_t kMaxRows = 16;
  static constexpr int32_t kInputOffset = 128;

  explicit S8DepthwiseDot4(const ConvGeometry& g)
      : rows(g.axes[0].kernel * g.axes[1].kernel),
        pairs(g.axes[2].kernel <= 3 && g.axes[2].stride == 1),
        vectors(pairs ? 2 : (g.axes[2].kernel + 3) / 4) {}

  // Usually, these are 3 x 3 kernels.
  bool has_three_rows() const { return rows == 3 && (pairs || vectors == 1); }

  int64_t rows;  // kernel rows, at most kMaxRows
  bool pairs;
  int64_t vectors;
};
// Returns null on other processor families. Requires: InstructionSet::kAvx512Vnni, and no dilation along the row.
S8DepthwiseFunction s8_depthwise_dot4_function();

}  // namespace nestrt::kernels
