// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_transpose/conv_transpose_depthwise16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv_transpose/conv_transpose_depthwise16_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/bounds-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 16;
using D = hn::CappedTag<float, kBlock>;
using V = hn::Vec<D>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(D()));

#define NESTRT_UNROLL _Pragma("GCC unroll 8")

// Computes kCount outputs starting at j, whose taps [first, last) are inside the rows. `lane`: the first lane of the
// block.
template <int kCount>
HWY_INLINE void run_outputs(const TransposedRow& row, int64_t j, int64_t first, int64_t last, int64_t lane) {
  const D d;
  V sums[kCount];
  const V bias = row.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, row.bias + lane);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p] = bias;
  for (int64_t l = 0; l < row.num_lines; ++l) {
    const float* const weights = row.weights[l] + lane;
    for (int64_t t = first; t < last; ++t) {
      const float* const from = row.lines[l] + row.taps.source(j, t) * kBlock + lane;
      const V weight = hn::LoadU(d, weights + t * kBlock);
      NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p] =
          hn::MulAdd(hn::LoadU(d, from + p * kBlock), weight, sums[p]);
    }
  }
  const Bounds bounds = bounds_of(row.activation);
  const V low = hn::Set(d, bounds.low), high = hn::Set(d, bounds.high);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
    const int64_t at = (j + p) * row.step + lane;
    V y = sums[p];
    if (row.residual != nullptr) y = hn::Add(y, hn::LoadU(d, row.residual + at));
    if (bounds.used) y = bounded(y, low, high);
    hn::StoreU(y, d, row.output + at);
  }
}

// Computes one output whose taps may be outside the rows.
HWY_INLINE void run_edge(const TransposedRow& row, int64_t j, int64_t lane) {
  int64_t first = 0, last = row.taps.taps;
  while (first < last && row.taps.source(j, first) >= row.width) ++first;
  while (first < last && row.taps.source(j, last - 1) < 0) --last;
  run_outputs<1>(row, j, first, last, lane);
}

}  // namespace

void transposed_row(const TransposedRow& row) {
  constexpr int64_t kCount = 4;
  const int64_t all = row.taps.taps;
  const int64_t inner = HWY_MIN(row.outputs, HWY_MAX(int64_t{0}, -row.taps.source(0, all - 1)));
  const int64_t end = HWY_MIN(row.outputs, HWY_MAX(inner, row.width - row.taps.shift));
  for (int64_t lane = 0; lane < kBlock; lane += kLanes) {
    int64_t j = 0;
    for (; j < inner; ++j) run_edge(row, j, lane);
    for (; j + kCount <= end; j += kCount) run_outputs<kCount>(row, j, 0, all, lane);
    for (; j < end; ++j) run_outputs<1>(row, j, 0, all, lane);
    for (; j < row.outputs; ++j) run_edge(row, j, lane);
  }
  if (!needs_pass(row.activation)) return;
  for (int64_t j = 0; j < row.outputs; ++j)
    map_activation(row.activation, row.output + j * row.step, row.output + j * row.step, kBlock);
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(transposed_row)

TransposedRowFunction transposed_row_function() { return simd_pick(transposed_row_table); }

}  // namespace nestrt::kernels
#endif
