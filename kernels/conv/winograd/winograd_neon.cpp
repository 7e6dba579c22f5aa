// SPDX-License-Identifier: Apache-2.0
#include "hwy/detect_targets.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include <iterator>

#include "hwy/base.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/simd/prefetch.h"
#include "kernels/conv/winograd/winograd.h"

namespace nestrt::kernels {
namespace {

constexpr int kLanes = 4;
constexpr int kVectors = static_cast<int>(kTileBlock) / kLanes;
constexpr float kRoot = 1.41421356f, kHalfRoot = 0.70710678f;  // sqrt(2), sqrt(1/2)

#define NESTRT_UNROLL _Pragma("GCC unroll 8")
#define NESTRT_NO_UNROLL _Pragma("GCC unroll 1")

using Vector = float32x4_t;

// The following structs compute B^T d or A^T m along one axis, for a tile or a short tile. They read the vectors at
// positions `kFrom` and write those at positions `kTo`.
struct FourInput {
  static constexpr int kFrom[] = {0, 1, 2, 3, 4, 5}, kTo[] = {0, 1, 2, 3, 4, 5};
  static HWY_INLINE void transform(const Vector (&d)[6], Vector (&to)[6]) {
    const Vector p = vfmsq_n_f32(d[4], d[2], 2.0f), q = vfmsq_n_f32(vmulq_n_f32(d[3], kHalfRoot), d[1], kRoot);
    const Vector r = vfmsq_n_f32(d[4], d[2], 0.5f), s = vfmsq_n_f32(vmulq_n_f32(d[3], kRoot), d[1], kHalfRoot);
    to[0] = vaddq_f32(vfmsq_n_f32(d[0], d[2], 2.5f), d[4]);
    to[1] = vaddq_f32(p, q);
    to[2] = vsubq_f32(p, q);
    to[3] = vaddq_f32(r, s);
    to[4] = vsubq_f32(r, s);
    to[5] = vaddq_f32(vfmsq_n_f32(d[1], d[3], 2.5f), d[5]);
  }
};
struct FourOutput {
  static constexpr int kFrom[] = {0, 1, 2, 3, 4, 5}, kTo[] = {0, 1, 2, 3};
  static HWY_INLINE void transform(const Vector (&m)[6], Vector (&to)[4]) {
    const Vector p = vaddq_f32(m[1], m[2]), q = vsubq_f32(m[1], m[2]);
    const Vector r = vaddq_f32(m[3], m[4]), s = vsubq_f32(m[3], m[4]);
    to[0] = vaddq_f32(vaddq_f32(m[0], p), r);
    to[1] = vfmaq_n_f32(vmulq_n_f32(q, kHalfRoot), s, kRoot);
    to[2] = vfmaq_n_f32(vmulq_n_f32(p, 0.5f), r, 2.0f);
    to[3] = vfmaq_n_f32(vfmaq_n_f32(m[5], q, 0.5f * kHalfRoot), s, 2.0f * kRoot);
  }
};
// Uses the points 0, +-sqrt(1/2) and infinity. The weights of the first three are divided by the products of their
// differences to all points of F(4, 3), not only to these; the input transform multiplies by -1/2 and -2/3 to
// compensate.
struct ShortFourInput {
  static constexpr int kFrom[] = {0, 1, 2, 3}, kTo[] = {0, 1, 2, 5};
  static HWY_INLINE void transform(const Vector (&d)[4], Vector (&to)[4]) {
    const Vector p = vmulq_n_f32(d[2], -1.5f);
    to[0] = vfmsq_n_f32(d[0], d[2], 2.0f);
    to[1] = vfmsq_n_f32(p, d[1], 1.5f * kHalfRoot);
    to[2] = vfmaq_n_f32(p, d[1], 1.5f * kHalfRoot);
    to[3] = vfmsq_n_f32(d[3], d[1], 0.5f);
  }
};
struct ShortFourOutput {
  static constexpr int kFrom[] = {0, 1, 2, 5}, kTo[] = {0, 1};
  static HWY_INLINE void transform(const Vector (&m)[4], Vector (&to)[2]) {
    to[0] = vaddq_f32(vaddq_f32(m[0], m[1]), m[2]);
    to[1] = vfmaq_n_f32(m[3], vsubq_f32(m[1], m[2]), kHalfRoot);
  }
};

// Four taps.
struct TapsOutput {
  static constexpr int kFrom[] = {0, 1, 2, 3, 4, 5}, kTo[] = {0, 1, 2};
  static HWY_INLINE void transform(const Vector (&m)[6], Vector (&to)[3]) {
    const Vector p = vaddq_f32(m[1], m[2]), q = vsubq_f32(m[1], m[2]);
    const Vector r = vaddq_f32(m[3], m[4]), s = vsubq_f32(m[3], m[4]);
    to[0] = vaddq_f32(vaddq_f32(m[0], p), r);
    to[1] = vfmaq_n_f32(vmulq_n_f32(q, kHalfRoot), s, kRoot);
    to[2] = vfmaq_n_f32(vfmaq_n_f32(m[5], p, 0.5f), r, 2.0f);
  }
};

struct TwoInput {
  static constexpr int kFrom[] = {0, 1, 2, 3}, kTo[] = {0, 1, 2, 3};
  static HWY_INLINE void transform(const Vector (&d)[4], Vector (&to)[4]) {
    to[0] = vsubq_f32(d[0], d[2]);
    to[1] = vaddq_f32(d[1], d[2]);
    to[2] = vsubq_f32(d[2], d[1]);
    to[3] = vsubq_f32(d[3], d[1]);
  }
};
struct TwoOutput {
  static constexpr int kFrom[] = {0, 1, 2, 3}, kTo[] = {0, 1};
  static HWY_INLINE void transform(const Vector (&m)[4], Vector (&to)[2]) {
    to[0] = vaddq_f32(vaddq_f32(m[0], m[1]), m[2]);
    to[1] = vaddq_f32(vsubq_f32(m[1], m[2]), m[3]);
  }
};
// Uses the points 0, 1 and infinity.
struct ShortTwoInput {
  static constexpr int kFrom[] = {0, 1, 2}, kTo[] = {0, 1, 3};
  static HWY_INLINE void transform(const Vector (&d)[3], Vector (&to)[3]) {
    to[0] = vsubq_f32(d[0], d[1]);
    to[1] = vaddq_f32(d[1], d[1]);
    to[2] = vsubq_f32(d[2], d[1]);
  }
};
struct ShortTwoOutput {
  static constexpr int kFrom[] = {0, 1, 3}, kTo[] = {0};
  static HWY_INLINE void transform(const Vector (&m)[3], Vector (&to)[1]) {
    to[0] = vaddq_f32(vaddq_f32(m[0], m[1]), m[2]);
  }
};

struct StridedInput {
  static constexpr int kFrom[] = {0, 1, 2, 3, 4}, kTo[] = {0, 1, 2, 3, 4};
  static HWY_INLINE void transform(const Vector (&d)[5], Vector (&to)[5]) {
    to[0] = vsubq_f32(d[0], d[2]);
    to[1] = d[2];
    to[2] = vsubq_f32(d[4], d[2]);
    to[3] = d[1];
    to[4] = d[3];
  }
};
struct StridedOutput {
  static constexpr int kFrom[] = {0, 1, 2, 3, 4}, kTo[] = {0, 1};
  static HWY_INLINE void transform(const Vector (&m)[5], Vector (&to)[2]) {
    to[0] = vaddq_f32(vaddq_f32(m[0], m[1]), m[3]);
    to[1] = vaddq_f32(vaddq_f32(m[1], m[2]), m[4]);
  }
};
// Each position corresponds to one tap.
struct ShortStridedInput {
  static constexpr int kFrom[] = {0, 1, 2}, kTo[] = {0, 2, 3};
  static HWY_INLINE void transform(const Vector (&d)[3], Vector (&to)[3]) {
    to[0] = d[0];
    to[1] = d[2];
    to[2] = d[1];
  }
};
struct ShortStridedOutput {
  static constexpr int kFrom[] = {0, 2, 3}, kTo[] = {0};
  static HWY_INLINE void transform(const Vector (&m)[3], Vector (&to)[1]) {
    to[0] = vaddq_f32(vaddq_f32(m[0], m[1]), m[2]);
  }
};

// Sixteen floats at each position, `stride` apart. Positions that short tiles skip may be stored separately. Lines are
// `line` apart.
template <typename Float>
struct Positions {
  Float *kept, *skipped;
  int64_t stride, line;
  Float* at(bool is_skipped, int64_t i) const { return (is_skipped ? skipped : kept) + i * stride; }
  void next_line() { kept += line, skipped += line; }
};

// For each line, two cache lines to prefetch.
struct PrefetchLines {
  const float* first;
  int64_t second, line;
};

struct Lines {
  Positions<const float> from;
  Positions<float> to;
  int64_t count;
  PrefetchLines prefetch;
};
using LinesFunction = void (*)(const Lines& lines);

// Computes transforms along one axis, two vectors at a time to hide latencies.
template <const WinogradShape& kShape, typename Axis>
void transform_lines(const Lines& lines) {
  constexpr int kTogether = 2, kIn = std::size(Axis::kFrom), kOut = std::size(Axis::kTo);
  Lines current = lines;
  NESTRT_NO_UNROLL for (; current.count > 0; --current.count) {
    NESTRT_NO_UNROLL for (int pair = 0; pair < kVectors / kTogether; ++pair) {
      Vector in[kTogether][kIn], out[kTogether][kOut];
      const int lane = pair * kTogether * kLanes;
      prefetch_line(current.prefetch.first + pair * current.prefetch.second);
      NESTRT_UNROLL for (int i = 0; i < kIn; ++i) NESTRT_UNROLL for (int v = 0; v < kTogether; ++v) in[v][i] =
          vld1q_f32(current.from.at(kShape.skips(Axis::kFrom[i]), Axis::kFrom[i]) + lane + v * kLanes);
      NESTRT_UNROLL for (int v = 0; v < kTogether; ++v) Axis::transform(in[v], out[v]);
      NESTRT_UNROLL for (int i = 0; i < kOut; ++i) NESTRT_UNROLL for (int v = 0; v < kTogether; ++v)
          vst1q_f32(current.to.at(kShape.skips(Axis::kTo[i]), Axis::kTo[i]) + lane + v * kLanes, out[v][i]);
    }
    current.from.next_line();
    current.to.next_line();
    current.prefetch.first += current.prefetch.line;
  }
}

struct Axis {
  LinesFunction transform;
  int64_t from, to;  // vectors
};
template <const WinogradShape& kShape, typename Transform>
constexpr Axis kAxis = {transform_lines<kShape, Transform>, std::size(Transform::kFrom), std::size(Transform::kTo)};

// Arrays are indexed by whether the tile is short.
struct Form {
  const WinogradShape& shape;
  Axis input[2], output[2];
};

// Calls action(first, count) for runs of consecutive positions of a tile. If `apart`, positions that short tiles skip
// are in separate runs.
template <typename Action>
HWY_INLINE void for_each_run(const WinogradShape& shape, bool is_short, bool apart, Action action) {
  for (int64_t first = 0, end = 0; first < shape.side; first = end) {
    const bool skipped = shape.skips(first);
    end = apart ? first + 1 : shape.side;
    while (end < shape.side && shape.skips(end) == skipped) ++end;
    if (!is_short || !skipped) action(first, end - first);
  }
}

// Transforms the rows, then the columns. The intermediate result exceeds the registers and goes through the first-level
// cache. Prefetches only the last columns of the next tile, because its first columns are also part of this tile.
void transform_input(const Form& form, const WinogradInput& tile) {
  const int64_t side = form.shape.side;
  const Axis &rows = form.input[tile.is_short.rows], &columns = form.input[tile.is_short.columns];
  float copy[kWinogradPositions * kTileBlock], between[kWinogradPositions * kTileBlock];  // [row][column]
  const WinogradPixelRows<float> pixels = pixel_rows(tile.window, copy, side);
  const WinogradPrefetch<float>& prefetch = tile.prefetch;
  rows.transform({{pixels.from, pixels.from, pixels.row, kTileBlock},
                  {between, between, side * kTileBlock, kTileBlock},
                  columns.from,
                  {prefetch.from + (side - 2) * prefetch.column, prefetch.column, prefetch.row}});
  const bool apart = tile.is_short.rows || tile.to[0] != tile.to[2] || tile.to[1] != tile.to[3];
  for_each_run(form.shape, tile.is_short.rows, apart, [&](int64_t y, int64_t count) {
    const bool skipped = form.shape.skips(y) && apart;
    const float* const from = between + y * side * kTileBlock;
    const int64_t to = y * side * tile.step;
    columns.transform(
        {{from, from, kTileBlock, side * kTileBlock},
         {tile.to[WinogradAxes{skipped, false}.index()] + to, tile.to[WinogradAxes{skipped, true}.index()] + to,
          tile.step, side * tile.step},
         count,
         {prefetch.from + y * prefetch.row + (side - 4) * prefetch.column, prefetch.column, prefetch.row}});
  });
}

void transform_output(const Form& form, const WinogradOutput& tile) {
  const int64_t side = form.shape.side;
  const Axis &rows = form.output[tile.is_short.rows], &columns = form.output[tile.is_short.columns];
  float between[kWinogradPositions * kTileBlock];  // [row][column]
  const PrefetchLines nothing{between, 0, 0};
  const bool apart = tile.is_short.columns || tile.from[0] != tile.from[1] || tile.from[2] != tile.from[3];
  for_each_run(form.shape, tile.is_short.columns, apart, [&](int64_t x, int64_t count) {
    const bool skipped = form.shape.skips(x) && apart;
    float* const to = between + x * kTileBlock;
    rows.transform({{tile.from[WinogradAxes{false, skipped}.index()] + x * tile.step,
                     tile.from[WinogradAxes{true, skipped}.index()] + x * tile.step, side * tile.step, tile.step},
                    {to, to, side * kTileBlock, kTileBlock},
                    count,
                    nothing});
  });
  columns.transform(
      {{between, between, kTileBlock, side * kTileBlock}, {tile.to, tile.to, kTileBlock, tile.row}, rows.to, nothing});
}

template <const WinogradShape& kShape, typename Input, typename ShortInput, typename Output, typename ShortOutput>
WinogradTransforms transforms() {
  static constexpr Form kForm = {
      kShape, {kAxis<kShape, Input>, kAxis<kShape, ShortInput>}, {kAxis<kShape, Output>, kAxis<kShape, ShortOutput>}};
  return {[](const WinogradInput& tile) { transform_input(kForm, tile); },
          [](const WinogradOutput& tile) { transform_output(kForm, tile); }};
}

}  // namespace

WinogradTransforms winograd_four() {
  return transforms<kWinogradFour, FourInput, ShortFourInput, FourOutput, ShortFourOutput>();
}
WinogradTransforms winograd_two() {
  return transforms<kWinogradTwo, TwoInput, ShortTwoInput, TwoOutput, ShortTwoOutput>();
}
WinogradTransforms winograd_strided() {
  return transforms<kWinogradStrided, StridedInput, ShortStridedInput, StridedOutput, ShortStridedOutput>();
}
// Returns the transforms for kernels with four taps. They have no short tiles.
WinogradTransforms winograd_taps() { return transforms<kWinogradTaps, FourInput, FourInput, TapsOutput, TapsOutput>(); }

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

#undef NESTRT_NO_UNROLL
#undef NESTRT_UNROLL

}  // namespace nestrt::kernels
#endif
