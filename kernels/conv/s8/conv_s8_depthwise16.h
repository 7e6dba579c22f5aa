// The inner loops of the depthwise s8 convolutions.
#pragma once

#include "kernels/common/gemm_s8/s8_finish.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

// Neighbouring rows of outputs of one block of 16 channels, in one slab of the depth.
struct S8DepthwiseRows {
  const ConvGeometry* geometry = nullptr;
  const int8_t* input = nullptr;    // the block's plane of the image
  const int8_t* weights = nullptr;  // [taps][16], or as S8DepthwiseDot4 says
  const int32_t* start = nullptr;   // 16: bias and rounding term
  int8_t zero = 0;                  // taken off every input; not by dot products of four
  int64_t z = 0, y = 0;             // the first row
  int64_t count = 0;
  int32_t* sums = nullptr;  // [count][width][16]
  // Where not null, outputs are written instead of sums: s8 without a residual, and for
  // S8DepthwiseDot4::has_three_rows() alone.
  const S8Finish* finish = nullptr;
};

using S8DepthwiseFunction = void (*)(const S8DepthwiseRows& rows);
// The implementation for the current instruction set.
S8DepthwiseFunction s8_depthwise_function();

// One for kernels of 3 x 3 that adds the products of neighbouring taps (2 i and 2 i + 1) in 16 bits: not both of their
// weights may be -128, and the input's zero is 0. Null where there is none.
S8DepthwiseFunction s8_depthwise_pairs_function(const ConvGeometry& geometry);

// Dot products of four neighbouring taps of a row of the kernel: weights are [rows][vectors][16 channels][4 taps], and
// 128 plus the input's zero times their sum is to be taken off `start`. Where `pairs`, a row has two vectors, the
// second with its taps one place later: so four pixels give two outputs. Otherwise it has one for every four taps.
struct S8DepthwiseDot4 {
  static constexpr int64_t kMaxRows = 16;
  static constexpr int32_t kInputOffset = 128;

  explicit S8DepthwiseDot4(const ConvGeometry& g)
      : rows(g.axes[0].kernel * g.axes[1].kernel),
        pairs(g.axes[2].kernel <= 3 && g.axes[2].stride == 1),
        vectors(pairs ? 2 : (g.axes[2].kernel + 3) / 4) {}

  // Kernels of 3 x 3, above all.
  bool has_three_rows() const { return rows == 3 && (pairs || vectors == 1); }

  int64_t rows;  // the kernel's, at most kMaxRows
  bool pairs;
  int64_t vectors;
};
// Requires InstructionSet::kAvx512Vnni (null in other processor families), and no dilation along the row.
S8DepthwiseFunction s8_depthwise_dot4_function();

}  // namespace nestrt::kernels
