// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/winograd/winograd_wide.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/winograd/winograd_wide_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/math/bounds-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

#if HWY_ARCH_X86

using D = hn::CappedTag<float, kTileBlock>;
using V = hn::Vec<D>;
constexpr int kInputs = 6, kOutputs = 4;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr float kRoot = 1.41421356f, kHalfRoot = 0.70710678f;  // sqrt(2), sqrt(1/2)

#define NESTRT_UNROLL _Pragma("GCC unroll 8")

// y + factor * x
HWY_INLINE V plus(V y, float factor, V x) { return hn::MulAdd(hn::Set(D(), factor), x, y); }
HWY_INLINE V times(float factor, V x) { return hn::Mul(hn::Set(D(), factor), x); }

// B^T d
HWY_INLINE void forward(const V (&d)[kInputs], V (&to)[kInputs]) {
  const V even = plus(d[4], -2.0f, d[2]), odd = plus(times(kHalfRoot, d[3]), -kRoot, d[1]);
  const V even2 = plus(d[4], -0.5f, d[2]), odd2 = plus(times(kRoot, d[3]), -kHalfRoot, d[1]);
  to[0] = hn::Add(plus(d[0], -2.5f, d[2]), d[4]);
  to[1] = hn::Add(even, odd);
  to[2] = hn::Sub(even, odd);
  to[3] = hn::Add(even2, odd2);
  to[4] = hn::Sub(even2, odd2);
  to[5] = hn::Add(plus(d[1], -2.5f, d[3]), d[5]);
}

// A^T m
HWY_INLINE void backward(const V (&m)[kInputs], V (&to)[kOutputs]) {
  const V sum = hn::Add(m[1], m[2]), difference = hn::Sub(m[1], m[2]);
  const V sum2 = hn::Add(m[3], m[4]), difference2 = hn::Sub(m[3], m[4]);
  to[0] = hn::Add(hn::Add(m[0], sum), sum2);
  to[1] = plus(times(kHalfRoot, difference), kRoot, difference2);
  to[2] = plus(times(0.5f, sum), 2.0f, sum2);
  to[3] = plus(plus(m[5], 0.5f * kHalfRoot, difference), 2.0f * kRoot, difference2);
}

HWY_INLINE void write_row(const WideTile& tile, const Bounds& bounds, int64_t y, const V (&values)[kOutputs],
                          int lane) {
  const D d;
  const V low = hn::Set(d, bounds.low), high = hn::Set(d, bounds.high);
  NESTRT_UNROLL for (int x = 0; x < kOutputs; ++x) {
    if (x >= tile.width) return;
    const int64_t at = y * tile.row + x * kTileBlock + lane;
    V value = values[x];
    if (tile.bias != nullptr) value = hn::Add(value, hn::LoadU(d, tile.bias + lane));
    if (tile.residual != nullptr) value = hn::Add(value, hn::LoadU(d, tile.residual + at));
    hn::StoreU(bounded(value, low, high), d, tile.output + at);
  }
}

HWY_NOINLINE void activate_outputs(const WideTile& tile) {
  for (int64_t y = 0; y < tile.height; ++y) {
    float* const row = tile.output + y * tile.row;
    map_activation(tile.activation, row, row, tile.width * kTileBlock);
  }
}
#endif

}  // namespace

void wide_input(const WideWindow& window) {
#if HWY_ARCH_X86
  const D d;
  for (int lane = 0; lane < kTileBlock; lane += kLanes) {
    V columns[kInputs][kInputs];  // [column][row]
    NESTRT_UNROLL for (int x = 0; x < kInputs; ++x) {
      V pixels[kInputs];
      NESTRT_UNROLL for (int y = 0; y < kInputs; ++y) pixels[y] =
          hn::LoadU(d, window.from + y * window.row + x * kTileBlock + lane);
      forward(pixels, columns[x]);
    }
    NESTRT_UNROLL for (int y = 0; y < kInputs; ++y) {
      V row[kInputs], values[kInputs];
      NESTRT_UNROLL for (int x = 0; x < kInputs; ++x) row[x] = columns[x][y];
      forward(row, values);
      NESTRT_UNROLL for (int x = 0; x < kInputs; ++x)
          hn::StoreU(values[x], d, window.to + (y * kInputs + x) * window.step + lane);
    }
  }
#else
  (void)window;
#endif
}

void wide_output(const WideTile& tile) {
#if HWY_ARCH_X86
  const D d;
  const Bounds bounds = bounds_of(tile.activation);
  for (int lane = 0; lane < kTileBlock; lane += kLanes) {
    V columns[kInputs][kOutputs];  // [column][row]
    NESTRT_UNROLL for (int x = 0; x < kInputs; ++x) {
      V products[kInputs];
      NESTRT_UNROLL for (int y = 0; y < kInputs; ++y) products[y] =
          hn::LoadU(d, tile.from + (y * kInputs + x) * tile.step + lane);
      backward(products, columns[x]);
    }
    NESTRT_UNROLL for (int y = 0; y < kOutputs; ++y) {
      if (y >= tile.height) break;
      V row[kInputs], values[kOutputs];
      NESTRT_UNROLL for (int x = 0; x < kInputs; ++x) row[x] = columns[x][y];
      backward(row, values);
      write_row(tile, bounds, y, values, lane);
    }
  }
  if (needs_pass(tile.activation)) activate_outputs(tile);
#else
  (void)tile;
#endif
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(wide_input)
NESTRT_SIMD_EXPORT(wide_output)

WideTransforms wide_transforms() { return {simd_pick(wide_input_table), simd_pick(wide_output_table)}; }

}  // namespace nestrt::kernels
#endif
