// SPDX-License-Identifier: Apache-2.0
#include "hwy/detect_targets.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include "hwy/base.h"
#include "kernels/conv/winograd/winograd_s8.h"

namespace nestrt::kernels {
namespace {

constexpr int kSide = static_cast<int>(kWinogradSide), kTile = static_cast<int>(kWinogradTile);
constexpr int kHalf = static_cast<int>(kTileBlock) / 2;
constexpr uint32_t kInverse225 = 0x87654321;  // modulo 2^32
static_assert(kInverse225 * 225 == 1);

#define NESTRT_UNROLL _Pragma("GCC unroll 8")

// B^T d
HWY_INLINE void transform_input(const int16x8_t (&d)[kSide], int16x8_t (&to)[kSide]) {
  const int16x8_t a = vsubq_s16(d[4], d[2]), b = vsubq_s16(d[3], d[1]);
  const int16x8_t e = vsubq_s16(d[0], d[2]), f = vsubq_s16(d[5], d[3]);
  const int16x8_t p = vaddq_s16(e, a), q = vsubq_s16(f, b), r = vaddq_s16(a, b), s = vsubq_s16(a, b);
  to[0] = vmlsq_n_s16(vaddq_s16(p, p), b, 3);
  to[1] = vmlsq_n_s16(vaddq_s16(r, r), vaddq_s16(d[2], d[3]), 3);
  to[2] = vmlaq_n_s16(vaddq_s16(s, s), vsubq_s16(d[2], d[3]), 3);
  to[3] = vaddq_s16(vaddq_s16(a, a), b);
  to[4] = vsubq_s16(a, vaddq_s16(b, b));
  to[5] = vmlsq_n_s16(vaddq_s16(q, q), a, 3);
}

// A^T m, modulo 2^32
HWY_INLINE void transform_output(const uint32x4_t (&m)[kSide], uint32x4_t (&to)[kTile]) {
  const uint32x4_t p = vaddq_u32(m[1], m[2]), q = vsubq_u32(m[1], m[2]);
  to[0] = vmlaq_n_u32(vaddq_u32(vaddq_u32(m[0], p), m[3]), m[4], 8);
  to[1] = vmlsq_n_u32(vaddq_u32(q, vaddq_u32(m[3], m[3])), m[4], 4);
  to[2] = vmlaq_n_u32(vaddq_u32(p, vaddq_u32(m[4], m[4])), m[3], 4);
  to[3] = vmlaq_n_u32(vaddq_u32(q, vsubq_u32(m[5], m[4])), m[3], 8);
}

// `from`: the first of 6 x 6 pixels of 16 bytes, in rows `row` bytes apart.
HWY_INLINE void transform_pixels(const int8_t* from, int64_t row, const WinogradS8Input& tile) {
  for (int64_t half = 0; half * 2 < tile.steps; ++half) {
    int16x8_t columns[kSide][kSide];  // [column][row]
    NESTRT_UNROLL for (int x = 0; x < kSide; ++x) {
      int16x8_t d[kSide];
      NESTRT_UNROLL for (int y = 0; y < kSide; ++y) d[y] =
          vmovl_s8(vld1_s8(from + y * row + x * kTileBlock + half * kHalf));
      transform_input(d, columns[x]);
    }
    int16_t* const low = tile.to + 2 * half * tile.step_stride;
    // If the number of steps is odd, only four of the last eight channels are valid; the others are overwritten.
    int16_t* const high = 2 * half + 1 < tile.steps ? low + tile.step_stride : low;
    NESTRT_UNROLL for (int y = 0; y < kSide; ++y) {
      int16x8_t d[kSide], v[kSide];
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x) d[x] = columns[x][y];
      transform_input(d, v);
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x) {
        const int64_t at = (y * kSide + x) * tile.position_stride;
        vst1_s16(high + at, vget_high_s16(v[x]));
        vst1_s16(low + at, vget_low_s16(v[x]));
      }
    }
  }
}

}  // namespace

void winograd_s8_input(const WinogradS8Input& tile) {
  int8_t copy[kWinogradPositions * kTileBlock];
  const WinogradPixelRows<int8_t> pixels = pixel_rows(tile.window, copy);
  transform_pixels(pixels.from, pixels.row, tile);
}

void winograd_s8_output(const WinogradS8Output& tile) {
  constexpr int kLanes = 4;
  for (int lane = 0; lane < kTileBlock; lane += kLanes) {
    uint32x4_t rows[kSide][kTile];  // read in storage order, with one address for all
    const int32_t* from = tile.from + lane;
    NESTRT_UNROLL for (int y = 0; y < kSide; ++y) {
      uint32x4_t m[kSide];
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x, from += tile.step) m[x] = vreinterpretq_u32_s32(vld1q_s32(from));
      transform_output(m, rows[y]);
    }
    const uint32x4_t start = vreinterpretq_u32_s32(vld1q_s32(tile.start + lane));
    NESTRT_UNROLL for (int x = 0; x < kTile; ++x) {
      uint32x4_t m[kSide], v[kTile];
      NESTRT_UNROLL for (int y = 0; y < kSide; ++y) m[y] = rows[y][x];
      transform_output(m, v);
      NESTRT_UNROLL for (int y = 0; y < kTile; ++y) {
        const int32x4_t four = vreinterpretq_s32_u32(vmulq_n_u32(v[y], kInverse225));
        const uint32x4_t sum = vaddq_u32(start, vreinterpretq_u32_s32(vshrq_n_s32(four, 2)));
        vst1q_s32(tile.to + y * tile.row + x * kTileBlock + lane, vreinterpretq_s32_u32(sum));
      }
    }
  }
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels
#endif
