// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/s8/conv_s8_depthwise16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/s8/conv_s8_depthwise16_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"
#include "kernels/conv/taps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 16;

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

struct Row {
  const S8DepthwiseRows& rows;
  int64_t y;
  int32_t* sums;
};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// Multiplies two taps at a time: words of adjacent taps are interleaved and multiplied in pairs.
using Words = hn::FixedTag<int16_t, kBlock>;
using HalfSums = hn::FixedTag<int32_t, kBlock / 2>;
using VW = hn::Vec<Words>;
using VS = hn::Vec<HalfSums>;

HWY_INLINE VW load_words(const int8_t* from) {
  return hn::PromoteTo(Words(), hn::LoadU(hn::FixedTag<int8_t, kBlock>(), from));
}

// Sums of 16 channels: in each 128-bit half, four of the lower and four of the upper eight.
struct PairSums {
  VS lower, upper;

  HWY_INLINE void add(VW x0, VW x1, VW w_lower, VW w_upper) {
    const VW lower_pairs = hn::InterleaveLower(Words(), x0, x1), upper_pairs = hn::InterleaveUpper(Words(), x0, x1);
    lower = hn::Add(lower, VS{_mm256_madd_epi16(lower_pairs.raw, w_lower.raw)});
    upper = hn::Add(upper, VS{_mm256_madd_epi16(upper_pairs.raw, w_upper.raw)});
  }
  HWY_INLINE void store(const int32_t* start, int32_t* to) const {
    const HalfSums d;
    hn::StoreU(hn::Add(hn::LoadU(d, start), hn::ConcatLowerLower(d, upper, lower)), d, to);
    hn::StoreU(hn::Add(hn::LoadU(d, start + 8), hn::ConcatUpperUpper(d, upper, lower)), d, to + 8);
  }
};

// Computes kCount outputs starting at `x`. For each of them, the taps `kx` are inside the input.
template <int kCount>
HWY_INLINE void all_lanes(const Row& row, Taps kz, Taps ky, Taps kx, int64_t x) {
  const auto& [depth, height, width] = row.rows.geometry->axes;
  const int64_t iz = row.rows.z * depth.stride - depth.pad_begin, iy = row.y * height.stride - height.pad_begin;
  const int64_t ix = x * width.stride - width.pad_begin, pixel_step = width.stride * kBlock;
  const VW zero = hn::Set(Words(), row.rows.zero), none = hn::Zero(Words());
  PairSums sums[kCount];
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p] = {hn::Zero(HalfSums()), hn::Zero(HalfSums())};
  for (int64_t z = kz.first; z < kz.last; ++z) {
    for (int64_t y = ky.first; y < ky.last; ++y) {
      const int64_t line = (iz + z * depth.dilation) * height.input + iy + y * height.dilation;
      const int8_t* const in = row.rows.input + (line * width.input + ix) * kBlock;
      const int8_t* const weights = row.rows.weights + (z * height.kernel + y) * width.kernel * kBlock;
      for (int64_t k = kx.first; k < kx.last; k += 2) {
        const bool paired = k + 1 < kx.last;
        const VW w0 = load_words(weights + k * kBlock), w1 = paired ? load_words(weights + (k + 1) * kBlock) : none;
        const VW w_lower = hn::InterleaveLower(Words(), w0, w1), w_upper = hn::InterleaveUpper(Words(), w0, w1);
        const int8_t* const at = in + k * width.dilation * kBlock;
        const int64_t next = paired ? width.dilation * kBlock : 0;  // without a pair, the second weights are zeros
        NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
          const int8_t* const from = at + p * pixel_step;
          sums[p].add(hn::Sub(load_words(from), zero), hn::Sub(load_words(from + next), zero), w_lower, w_upper);
        }
      }
    }
  }
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p].store(row.rows.start, row.sums + (x + p) * kBlock);
}

#else
using D = hn::CappedTag<int32_t, kBlock>;
using V = hn::Vec<D>;
using D16 = hn::Rebind<int16_t, D>;
using D8 = hn::Rebind<int8_t, D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

HWY_INLINE hn::Vec<D16> load16(const int8_t* from) { return hn::PromoteTo(D16(), hn::LoadU(D8(), from)); }

// Computes kLanes channels of kCount outputs starting at `x`. For each output, the taps `kx` are inside the input.
template <int kCount>
HWY_INLINE void add_taps(const Row& row, Taps kz, Taps ky, Taps kx, int64_t x, int64_t lane) {
  const auto& [depth, height, width] = row.rows.geometry->axes;
  const int64_t iz = row.rows.z * depth.stride - depth.pad_begin, iy = row.y * height.stride - height.pad_begin;
  const int64_t ix = x * width.stride - width.pad_begin, pixel_step = width.stride * kBlock;
  const auto zero = hn::Set(D16(), row.rows.zero);
  V sums[kCount];
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p] = hn::LoadU(D(), row.rows.start + lane);
  for (int64_t z = kz.first; z < kz.last; ++z) {
    for (int64_t y = ky.first; y < ky.last; ++y) {
      const int64_t line = (iz + z * depth.dilation) * height.input + iy + y * height.dilation;
      const int64_t in = (line * width.input + ix) * kBlock + lane;
      const int8_t* weights = row.rows.weights + (z * height.kernel + y) * width.kernel * kBlock + lane;
      for (int64_t k = kx.first; k < kx.last; ++k) {
        const auto w = load16(weights + k * kBlock);
        const int8_t* at = row.rows.input + in + k * width.dilation * kBlock;
        // The product of a byte and the difference of two bytes fits in 16 bits.
        NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
          const auto x16 = hn::Sub(load16(at + p * pixel_step), zero);
          sums[p] = hn::Add(sums[p], hn::PromoteTo(D(), hn::Mul(x16, w)));
        }
      }
    }
  }
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) hn::StoreU(sums[p], D(), row.sums + (x + p) * kBlock + lane);
}

template <int kCount>
HWY_INLINE void all_lanes(const Row& row, Taps kz, Taps ky, Taps kx, int64_t x) {
  for (int64_t lane = 0; lane < kBlock; lane += kLanes) add_taps<kCount>(row, kz, ky, kx, x, lane);
}
#endif

// Processes four inner outputs at a time, and outputs at the edges one by one.
HWY_INLINE void run_row(const Row& row) {
  const auto& [depth, height, width] = row.rows.geometry->axes;
  const Taps inner = inside_outputs(width), all{0, width.kernel};
  const Taps kz = taps_inside(depth, row.rows.z), ky = taps_inside(height, row.y);
  int64_t x = 0;
  for (; x < inner.first; ++x) all_lanes<1>(row, kz, ky, taps_inside(width, x), x);
  for (; x + 4 <= inner.last; x += 4) all_lanes<4>(row, kz, ky, all, x);
  for (; x < inner.last; ++x) all_lanes<1>(row, kz, ky, all, x);
  for (; x < width.output; ++x) all_lanes<1>(row, kz, ky, taps_inside(width, x), x);
}

}  // namespace

void s8_depthwise(const S8DepthwiseRows& rows) {
  const int64_t row_sums = rows.geometry->axes[2].output * kBlock;
  for (int64_t i = 0; i < rows.count; ++i) run_row({rows, rows.y + i, rows.sums + i * row_sums});
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(s8_depthwise)

S8DepthwiseFunction s8_depthwise_function() { return simd_pick(s8_depthwise_table); }

}  // namespace nestrt::kernels
#endif
