#include "kernels/conv/conv_depthwise16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/conv_depthwise16_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/bounds-inl.h"
#include "kernels/common/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 16;
using D = hn::CappedTag<float, kBlock>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectors = static_cast<int>(kBlock) / kLanes;

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

// Taps of a dimension that fall inside the input: [first, last).
struct Taps {
  int64_t first, last;
};

HWY_INLINE Taps taps_inside(const ConvAxis& axis, int64_t output) {
  const int64_t start = output * axis.stride - axis.pad_begin;
  Taps taps{0, axis.kernel};
  while (taps.first < taps.last && start + taps.first * axis.dilation < 0) ++taps.first;
  while (taps.first < taps.last && start + (taps.last - 1) * axis.dilation >= axis.input) --taps.last;
  return taps;
}

// kCount outputs from `x` on, all of whose taps in [kx.first, kx.last) are inside.
template <int kCount, int kVector>
HWY_INLINE void add_taps(const DepthwiseRow& row, int64_t x, Taps kz, Taps ky, Taps kx, V (&sums)[kCount]) {
  const D d;
  const auto& [depth, height, width] = row.geometry->axes;
  const int64_t iz0 = row.z * depth.stride - depth.pad_begin, iy0 = row.y * height.stride - height.pad_begin;
  const int64_t ix0 = x * width.stride - width.pad_begin, step = width.stride * kBlock;
  for (int64_t z = kz.first; z < kz.last; ++z) {
    for (int64_t y = ky.first; y < ky.last; ++y) {
      const int64_t line = (iz0 + z * depth.dilation) * height.input + iy0 + y * height.dilation;
      const float* in = row.input + (line * width.input + ix0) * kBlock + kVector * kLanes;
      const float* weights = row.weights + (z * height.kernel + y) * width.kernel * kBlock + kVector * kLanes;
      for (int64_t k = kx.first; k < kx.last; ++k) {
        const V w = hn::LoadU(d, weights + k * kBlock);
        const float* at = in + k * width.dilation * kBlock;
        NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
          sums[p] = hn::MulAdd(hn::LoadU(d, at + p * step), w, sums[p]);
        }
      }
    }
  }
}

template <int kCount, int kVector>
HWY_INLINE void step_vector(const DepthwiseRow& row, int64_t x, Taps kz, Taps ky, Taps kx) {
  const D d;
  V sums[kCount];
  const V bias = row.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, row.bias + kVector * kLanes);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p] = bias;
  add_taps<kCount, kVector>(row, x, kz, ky, kx, sums);
  const Bounds bounds = bounds_of(row.activation);
  const V low = hn::Set(d, bounds.low), high = hn::Set(d, bounds.high);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
    const int64_t at = (x + p) * kBlock + kVector * kLanes;
    V y = sums[p];
    if (row.residual != nullptr) y = hn::Add(y, hn::LoadU(d, row.residual + at));
    if (bounds.used) y = simd_clip(y, low, high);
    hn::StoreU(y, d, row.output + at);
  }
}

template <int kCount>
HWY_INLINE void step(const DepthwiseRow& row, int64_t x, Taps kz, Taps ky, Taps kx) {
  step_vector<kCount, 0>(row, x, kz, ky, kx);
  if constexpr (kVectors > 1) step_vector<kCount, 1>(row, x, kz, ky, kx);
  if constexpr (kVectors > 2) step_vector<kCount, 2>(row, x, kz, ky, kx);
  if constexpr (kVectors > 2) step_vector<kCount, 3>(row, x, kz, ky, kx);
}

}  // namespace

// Outputs whose taps all lie inside the row go several at a time, those at the edges one by one.
void depthwise_row(const DepthwiseRow& row) {
  const auto& [depth, height, width] = row.geometry->axes;
  const Taps kz = taps_inside(depth, row.z), ky = taps_inside(height, row.y), all{0, width.kernel};
  const auto inside = [&](int64_t x, int64_t count) {
    const int64_t first = x * width.stride - width.pad_begin;
    const int64_t last = first + (count - 1) * width.stride + (width.kernel - 1) * width.dilation;
    return first >= 0 && last < width.input && x + count <= width.output;
  };
  int64_t x = 0;
  while (x < width.output) {
    if (inside(x, 8)) {
      step<8>(row, x, kz, ky, all);
      x += 8;
    } else if (inside(x, 4)) {
      step<4>(row, x, kz, ky, all);
      x += 4;
    } else {
      step<1>(row, x, kz, ky, taps_inside(width, x));
      ++x;
    }
  }
  if (needs_pass(row.activation)) activate_stored(D(), row.activation, row.output, width.output * kBlock);
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(depthwise_row)

DepthwiseRowFunction depthwise_row_function() { return simd_pick(depthwise_row_table); }

}  // namespace nestrt::kernels
#endif
