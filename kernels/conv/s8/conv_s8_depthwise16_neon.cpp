// SPDX-License-Identifier: Apache-2.0
// Depthwise rows of 3 x 3 kernels with NEON byte multiplication. Two products share a 16-bit sum before it is widened.
#include "kernels/common/simd/simd.h"
#include "kernels/conv/s8/conv_s8_depthwise16.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include "hwy/base.h"
#include "kernels/common/math/integers.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;
constexpr int kSide = 3, kTaps = kSide * kSide;

// Used instead of rows outside the input. The window of two adjacent outputs is one pixel wider than the kernel.
alignas(16) constexpr int8_t kZeros[(kSide + 1) * kBlock] = {};

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

// For each kernel row: the input of its first tap, and the distance in bytes to the input of the next output.
struct Window {
  const int8_t* row[kSide];
  int64_t step[kSide];

  HWY_INLINE void advance(int64_t outputs) {
    NESTRT_UNROLL for (int r = 0; r < kSide; ++r) row[r] += step[r] * outputs;
  }
};

// Computes kCount adjacent outputs, whose inputs are one pixel apart.
template <int kCount>
HWY_INLINE void add_taps(const Window& window, const int8x16_t (&weights)[kTaps], const int32_t* start, int32_t* to) {
  int32x4_t sums[kCount][4];
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
    NESTRT_UNROLL for (int v = 0; v < 4; ++v) sums[p][v] = vld1q_s32(start + 4 * v);
  }
  const auto pixel = [&](int tap, int p) { return vld1q_s8(window.row[tap / kSide] + (tap % kSide + p) * kBlock); };
  NESTRT_UNROLL for (int tap = 0; tap < kTaps; tap += 2) {
    NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
      const int8x16_t first = pixel(tap, p);
      int16x8_t low = vmull_s8(vget_low_s8(first), vget_low_s8(weights[tap]));
      int16x8_t high = vmull_high_s8(first, weights[tap]);
      if (tap + 1 < kTaps) {
        const int8x16_t second = pixel(tap + 1, p);
        low = vmlal_s8(low, vget_low_s8(second), vget_low_s8(weights[tap + 1]));
        high = vmlal_high_s8(high, second, weights[tap + 1]);
      }
      sums[p][0] = vaddw_s16(sums[p][0], vget_low_s16(low));
      sums[p][1] = vaddw_high_s16(sums[p][1], low);
      sums[p][2] = vaddw_s16(sums[p][2], vget_low_s16(high));
      sums[p][3] = vaddw_high_s16(sums[p][3], high);
    }
  }
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
    NESTRT_UNROLL for (int v = 0; v < 4; ++v) vst1q_s32(to + p * kBlock + 4 * v, sums[p][v]);
  }
}

// Returns the window of output (`output_y`, x). Rows outside the input read zeros.
HWY_INLINE Window window_of(const S8DepthwiseRows& rows, int64_t output_y, int64_t x) {
  const auto& [depth, height, width] = rows.geometry->axes;
  const int64_t z = tap_position(depth, rows.z, 0);
  const int64_t ix = x * width.stride - width.pad_begin, step = width.stride * kBlock;
  Window window;
  for (int r = 0; r < kSide; ++r) {
    const int64_t y = tap_position(height, output_y, r);
    const bool inside = (z | y) >= 0;
    window.row[r] = inside ? rows.input + ((z * height.input + y) * width.input + ix) * kBlock : kZeros;
    window.step[r] = inside ? step : 0;
  }
  return window;
}

// Computes one output whose window extends beyond the row, using a copy of the window.
void edge_output(const S8DepthwiseRows& rows, const int8x16_t (&weights)[kTaps], int64_t output_y, int64_t x,
                 int32_t* to) {
  const ConvAxis& width = rows.geometry->axes[2];
  const Window window = window_of(rows, output_y, x);
  alignas(16) int8_t copy[kTaps * kBlock];
  for (int tap = 0; tap < kTaps; ++tap) {
    const int8_t* from = window.row[tap / kSide] + tap % kSide * kBlock;
    const bool inside = tap_position(width, x, tap % kSide) >= 0;
    vst1q_s8(copy + tap * kBlock, vld1q_s8(inside ? from : kZeros));
  }
  add_taps<1>({{copy, copy + kSide * kBlock, copy + 2 * kSide * kBlock}, {}}, weights, rows.start, to);
}

void run_row(const S8DepthwiseRows& rows, const int8x16_t (&weights)[kTaps], int64_t y, int32_t* to) {
  const ConvAxis& width = rows.geometry->axes[2];
  const int64_t room = width.input + width.pad_begin - kSide;
  const int64_t first = HWY_MIN(width.output, ceil_div(width.pad_begin, width.stride));
  const int64_t last = room < 0 ? first : HWY_MAX(first, HWY_MIN(width.output, room / width.stride + 1));
  for (int64_t x = 0; x < first; ++x) edge_output(rows, weights, y, x, to + x * kBlock);
  Window window = window_of(rows, y, first);
  int64_t x = first;
  if (width.stride == 1)
    for (; x + 2 <= last; x += 2, window.advance(2)) add_taps<2>(window, weights, rows.start, to + x * kBlock);
  for (; x < last; ++x, window.advance(1)) add_taps<1>(window, weights, rows.start, to + x * kBlock);
  for (; x < width.output; ++x) edge_output(rows, weights, y, x, to + x * kBlock);
}

#undef NESTRT_UNROLL

void depthwise_pairs(const S8DepthwiseRows& rows) {
  int8x16_t weights[kTaps];
  for (int tap = 0; tap < kTaps; ++tap) weights[tap] = vld1q_s8(rows.weights + tap * kBlock);
  const int64_t row_sums = rows.geometry->axes[2].output * kBlock;
  for (int64_t i = 0; i < rows.count; ++i) run_row(rows, weights, rows.y + i, rows.sums + i * row_sums);
}

}  // namespace

S8DepthwiseFunction s8_depthwise_pairs_function(const ConvGeometry& g) {
  const bool fits =
      g.axes[0].kernel == 1 && g.axes[1].kernel == kSide && g.axes[2].kernel == kSide && g.axes[2].dilation == 1;
  return includes(current_instruction_set(), InstructionSet::kNeon) && fits ? depthwise_pairs : nullptr;
}

}  // namespace nestrt::kernels

#else
namespace nestrt::kernels {
S8DepthwiseFunction s8_depthwise_pairs_function(const ConvGeometry&) { return nullptr; }
}  // namespace nestrt::kernels
#endif
