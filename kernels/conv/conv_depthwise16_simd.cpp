#include "kernels/conv/conv_depthwise16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/conv_depthwise16_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/bounds-inl.h"
#include "kernels/common/simd.h"
#include "kernels/conv/taps-inl.h"

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

// One row: what its outputs share.
struct Row {
  const ConvGeometry& geometry;
  const float* input;  // the plane
  const float* weights;
  const float* bias;
  const float* residual;
  float* output;
  int64_t iz, iy;  // where the window of the first output starts
  Taps kz, ky;
  Bounds bounds;
};

// Adds the taps in kx, all of which are inside, to kCount outputs from `x` on.
template <int kCount, int kVector>
HWY_INLINE void add_taps(const Row& row, int64_t x, Taps kx, V (&sums)[kCount]) {
  const D d;
  const auto& [depth, height, width] = row.geometry.axes;
  const int64_t ix = x * width.stride - width.pad_begin, step = width.stride * kBlock;
  for (int64_t z = row.kz.first; z < row.kz.last; ++z) {
    for (int64_t y = row.ky.first; y < row.ky.last; ++y) {
      const int64_t line = (row.iz + z * depth.dilation) * height.input + row.iy + y * height.dilation;
      const float* in = row.input + (line * width.input + ix) * kBlock + kVector * kLanes;
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
HWY_INLINE void step_vector(const Row& row, int64_t x, Taps kx) {
  const D d;
  V sums[kCount];
  const V bias = row.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, row.bias + kVector * kLanes);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p] = bias;
  add_taps<kCount, kVector>(row, x, kx, sums);
  const V low = hn::Set(d, row.bounds.low), high = hn::Set(d, row.bounds.high);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
    const int64_t at = (x + p) * kBlock + kVector * kLanes;
    V y = sums[p];
    if (row.residual != nullptr) y = hn::Add(y, hn::LoadU(d, row.residual + at));
    if (row.bounds.used) y = simd_clip(y, low, high);
    hn::StoreU(y, d, row.output + at);
  }
}

template <int kCount, int kVector = 0>
HWY_INLINE void step(const Row& row, int64_t x, Taps kx) {
  step_vector<kCount, kVector>(row, x, kx);
  if constexpr (kVector + 1 < kVectors) step<kCount, kVector + 1>(row, x, kx);
}

// The inner outputs go several at a time, those at the edges one by one.
HWY_INLINE void run_row(const Row& row, Taps inner) {
  const ConvAxis& width = row.geometry.axes[2];
  const Taps all{0, width.kernel};
  int64_t x = 0;
  for (; x < inner.first; ++x) step<1>(row, x, taps_inside(width, x));
  for (; x + 8 <= inner.last; x += 8) step<8>(row, x, all);
  if (x + 4 <= inner.last) {
    step<4>(row, x, all);
    x += 4;
  }
  for (; x < inner.last; ++x) step<1>(row, x, all);
  for (; x < width.output; ++x) step<1>(row, x, taps_inside(width, x));
}

}  // namespace

void depthwise(const DepthwiseRows& rows) {
  const auto& [depth, height, width] = rows.geometry->axes;
  const Taps inner = inside_outputs(width), kz = taps_inside(depth, rows.z);
  const int64_t iz = rows.z * depth.stride - depth.pad_begin, row_floats = width.output * kBlock;
  for (int64_t y = rows.first; y < rows.last; ++y) {
    const int64_t at = (y - rows.first) * row_floats;
    const Row row{*rows.geometry,
                  rows.input,
                  rows.weights,
                  rows.bias,
                  rows.residual == nullptr ? nullptr : rows.residual + at,
                  rows.output + at,
                  iz,
                  y * height.stride - height.pad_begin,
                  kz,
                  taps_inside(height, y),
                  bounds_of(rows.activation)};
    run_row(row, inner);
    if (needs_pass(rows.activation)) map_activation(rows.activation, row.output, row.output, row_floats);
  }
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(depthwise)

DepthwiseFunction depthwise_function() { return simd_pick(depthwise_table); }

}  // namespace nestrt::kernels
#endif
