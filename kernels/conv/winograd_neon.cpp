#include "hwy/detect_targets.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include "hwy/base.h"
#include "kernels/common/tile16.h"
#include "kernels/common/touch.h"
#include "kernels/conv/winograd.h"

namespace nestrt::kernels {
namespace {

constexpr int kLanes = 4;
constexpr int kVectors = static_cast<int>(kTileBlock) / kLanes;
constexpr float kRoot = 1.41421356f, kHalfRoot = 0.70710678f;  // of 2

#define NESTRT_UNROLL _Pragma("GCC unroll 8")
#define NESTRT_ROLLED _Pragma("GCC unroll 1")

// B^T d and A^T m of a shape, along one axis.
struct Four {
  static constexpr int kTile = 4, kSide = 6;
  static HWY_INLINE void input(const float32x4_t (&d)[kSide], float32x4_t (&to)[kSide]) {
    const float32x4_t p = vfmsq_n_f32(d[4], d[2], 2.0f), q = vfmsq_n_f32(vmulq_n_f32(d[3], kHalfRoot), d[1], kRoot);
    const float32x4_t r = vfmsq_n_f32(d[4], d[2], 0.5f), s = vfmsq_n_f32(vmulq_n_f32(d[3], kRoot), d[1], kHalfRoot);
    to[0] = vaddq_f32(vfmsq_n_f32(d[0], d[2], 2.5f), d[4]);
    to[1] = vaddq_f32(p, q);
    to[2] = vsubq_f32(p, q);
    to[3] = vaddq_f32(r, s);
    to[4] = vsubq_f32(r, s);
    to[5] = vaddq_f32(vfmsq_n_f32(d[1], d[3], 2.5f), d[5]);
  }
  static HWY_INLINE void output(const float32x4_t (&m)[kSide], float32x4_t (&to)[kTile]) {
    const float32x4_t p = vaddq_f32(m[1], m[2]), q = vsubq_f32(m[1], m[2]);
    const float32x4_t r = vaddq_f32(m[3], m[4]), s = vsubq_f32(m[3], m[4]);
    to[0] = vaddq_f32(vaddq_f32(m[0], p), r);
    to[1] = vfmaq_n_f32(vmulq_n_f32(q, kHalfRoot), s, kRoot);
    to[2] = vfmaq_n_f32(vmulq_n_f32(p, 0.5f), r, 2.0f);
    to[3] = vfmaq_n_f32(vfmaq_n_f32(m[5], q, 0.5f * kHalfRoot), s, 2.0f * kRoot);
  }
};

struct Two {
  static constexpr int kTile = 2, kSide = 4;
  static HWY_INLINE void input(const float32x4_t (&d)[kSide], float32x4_t (&to)[kSide]) {
    to[0] = vsubq_f32(d[0], d[2]);
    to[1] = vaddq_f32(d[1], d[2]);
    to[2] = vsubq_f32(d[2], d[1]);
    to[3] = vsubq_f32(d[3], d[1]);
  }
  static HWY_INLINE void output(const float32x4_t (&m)[kSide], float32x4_t (&to)[kTile]) {
    to[0] = vaddq_f32(vaddq_f32(m[0], m[1]), m[2]);
    to[1] = vaddq_f32(vsubq_f32(m[1], m[2]), m[3]);
  }
};

struct Strided {
  static constexpr int kTile = 2, kSide = 5;
  static HWY_INLINE void input(const float32x4_t (&d)[kSide], float32x4_t (&to)[kSide]) {
    to[0] = vsubq_f32(d[0], d[2]);
    to[1] = d[2];
    to[2] = vsubq_f32(d[4], d[2]);
    to[3] = d[1];
    to[4] = d[3];
  }
  static HWY_INLINE void output(const float32x4_t (&m)[kSide], float32x4_t (&to)[kTile]) {
    to[0] = vaddq_f32(vaddq_f32(m[0], m[1]), m[3]);
    to[1] = vaddq_f32(vaddq_f32(m[1], m[2]), m[4]);
  }
};

// Sixteen floats each, `step` apart.
struct Line {
  const float* from;
  int64_t step;
  float* to;
  int64_t to_step;
};

// A transform along one axis, of two vectors at a time: what one waits for, the other has work for. `touch_ahead(i)` is
// called once for each pair, 0 and 1.
template <int kFrom, int kTo, typename Touch>
HWY_INLINE void transform_line(const Line& line, void (*transform)(const float32x4_t (&)[kFrom], float32x4_t (&)[kTo]),
                               Touch touch_ahead) {
  constexpr int kTogether = 2;
  NESTRT_ROLLED for (int pair = 0; pair < kVectors / kTogether; ++pair) {
    float32x4_t in[kTogether][kFrom], out[kTogether][kTo];
    const int lane = pair * kTogether * kLanes;
    touch_ahead(pair);
    NESTRT_UNROLL for (int i = 0; i < kFrom; ++i) NESTRT_UNROLL for (int v = 0; v < kTogether; ++v) in[v][i] =
        vld1q_f32(line.from + i * line.step + lane + v * kLanes);
    NESTRT_UNROLL for (int v = 0; v < kTogether; ++v) transform(in[v], out[v]);
    NESTRT_UNROLL for (int i = 0; i < kTo; ++i) NESTRT_UNROLL for (int v = 0; v < kTogether; ++v)
        vst1q_f32(line.to + i * line.to_step + lane + v * kLanes, out[v][i]);
  }
}

// What lies between the two axes' transforms has no room in registers: it goes through the first-level cache. Of the
// next tile the last four columns are touched, pixel after pixel: those before are this tile's, too.
template <typename Shape>
void transform_input(const WinogradInput& tile) {
  constexpr int kSide = Shape::kSide;
  float copy[kWinogradPositions * kTileBlock], columns[kSide * kSide * kTileBlock];  // [row][column]
  const WinogradPixelRows<float> pixels = pixel_rows(tile.window, copy, kSide);
  const auto touch_pixel = [&](int row, int column) {
    touch(tile.ahead.from + row * tile.ahead.row + column * tile.ahead.column);
  };
  NESTRT_ROLLED for (int x = 0; x < kSide; ++x)
      transform_line({pixels.from + x * kTileBlock, pixels.row, columns + x * kTileBlock, kSide * kTileBlock},
                     Shape::input, [&](int pair) { touch_pixel(x, kSide - 2 + pair); });
  NESTRT_ROLLED for (int y = 0; y < kSide; ++y)
      transform_line({columns + y * kSide * kTileBlock, kTileBlock, tile.to + y * kSide * tile.step, tile.step},
                     Shape::input, [&](int pair) { touch_pixel(y, kSide - 4 + pair); });
}

template <typename Shape>
void transform_output(const WinogradOutput& tile) {
  constexpr int kSide = Shape::kSide, kTile = Shape::kTile;
  float columns[kTile * kSide * kTileBlock];  // [row][column]
  NESTRT_ROLLED for (int x = 0; x < kSide; ++x)
      transform_line({tile.from + x * tile.step, kSide * tile.step, columns + x * kTileBlock, kSide * kTileBlock},
                     Shape::output, [](int) {});
  NESTRT_ROLLED for (int y = 0; y < kTile; ++y) transform_line(
      {columns + y * kSide * kTileBlock, kTileBlock, tile.to + y * tile.row, kTileBlock}, Shape::output, [](int) {});
}

}  // namespace

WinogradTransforms winograd_four() { return {transform_input<Four>, transform_output<Four>}; }
WinogradTransforms winograd_two() { return {transform_input<Two>, transform_output<Two>}; }
WinogradTransforms winograd_strided() { return {transform_input<Strided>, transform_output<Strided>}; }

void winograd_finish(const WinogradPixels& pixels) {
  const float32x4_t lowest = vdupq_n_f32(pixels.low), highest = vdupq_n_f32(pixels.high);
  float32x4_t bias[kVectors];
  NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) bias[v] =
      pixels.bias == nullptr ? vdupq_n_f32(0) : vld1q_f32(pixels.bias + v * kLanes);
  for (int64_t i = 0; i < pixels.count * kTileBlock; i += kTileBlock) {
    float32x4_t sums[kVectors];
    NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) sums[v] =
        vaddq_f32(vld1q_f32(pixels.from + i + v * kLanes), bias[v]);
    if (pixels.residual != nullptr) {
      NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) sums[v] =
          vaddq_f32(sums[v], vld1q_f32(pixels.residual + i + v * kLanes));
    }
    NESTRT_UNROLL for (int v = 0; v < kVectors; ++v)
        vst1q_f32(pixels.output + i + v * kLanes, vminq_f32(vmaxq_f32(sums[v], lowest), highest));
  }
}

#undef NESTRT_ROLLED
#undef NESTRT_UNROLL

}  // namespace nestrt::kernels
#endif
