// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_s8/s8_finish.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/gemm_s8/s8_finish_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET == HWY_AVX3
#include "kernels/common/gemm_s8/s8_narrow_avx512-inl.h"
#endif

namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using DF = hn::RebindToFloat<D32>;
constexpr int64_t kVectors = kBlock / kLanes;

// One block of outputs: addresses and shared parameters. Copied, because byte stores could alias the S8Finish.
struct Block {
  Block(const S8Finish& f, int64_t index)
      : first(index * kBlock),
        sums(f.sums + index * kBlock),
        residual(f.residual == nullptr ? nullptr : f.residual + index * f.block_stride),
        output(f.output == nullptr ? nullptr : f.output + index * f.block_stride),
        wide(f.wide == nullptr ? nullptr : f.wide + index * f.block_stride),
        sums_stride(f.blocks * kBlock),
        point_stride(f.point_stride),
        lanes(index + 1 < f.blocks ? kBlock : f.last_lanes) {}

  // Advances to the next point.
  void advance() {
    sums += sums_stride;
    residual += residual == nullptr ? 0 : point_stride;
    output += output == nullptr ? 0 : point_stride;
    wide += wide == nullptr ? 0 : point_stride;
  }

  int64_t first;  // first output
  const int32_t* sums;
  const int8_t* residual;
  int8_t* output;
  float* wide;
  int64_t sums_stride, point_stride, lanes;
};

template <typename T>
HWY_INLINE void copy_lanes(const T* from, int64_t lanes, T* to) {
  for (int64_t i = 0; i < lanes; ++i) to[i] = from[i];
}

// Converts sums to the outputs of a block, before the bounds are applied. kEven: the rounding is half_even.
template <bool kResidual, bool kEven>
struct Narrowing {
  Narrowing(const S8Finish& f, const Block& block) : add(f.add, f.rounding) {
    for (int64_t v = 0; v < kVectors; ++v) shift[v] = ShiftS8<kEven>(f.shift + block.first + v * kLanes);
  }

  // Returns vector v of the outputs of one point.
  HWY_INLINE V32 operator()(const Block& block, int64_t v) const {
    const V32 y = shift[v](hn::LoadU(D32(), block.sums + v * kLanes));
    if constexpr (!kResidual) return y;
    const D32 d;
    const V32 narrow = hn::Min(hn::Max(y, hn::Set(d, s8::kLow)), hn::Set(d, s8::kHigh));
    return add(narrow, load_s8(block.residual + v * kLanes));
  }

  ShiftS8<kEven> shift[kVectors];
  AddS8<kEven> add;
};

// Converts sums of tensors with scales (s8c) and applies the bounds. NearestInt rounds half to even.
struct Scaling {
  Scaling(const S8Finish& f, const Block& block)
      : zero(hn::Set(D32(), f.output_zero)),
        low(hn::Set(DF(), static_cast<float>(f.bounds.low - f.output_zero))),
        high(hn::Set(DF(), static_cast<float>(f.bounds.high - f.output_zero))) {
    for (int64_t v = 0; v < kVectors; ++v) scale[v] = hn::LoadU(DF(), f.scale + block.first + v * kLanes);
  }

  HWY_INLINE V32 operator()(const Block& block, int64_t v) const {
    const auto steps = hn::Mul(hn::ConvertTo(DF(), hn::LoadU(D32(), block.sums + v * kLanes)), scale[v]);
    return hn::Add(hn::NearestInt(hn::Min(hn::Max(steps, low), high)), zero);
  }

  V32 zero;
  hn::Vec<DF> low, high, scale[kVectors];
};

#if HWY_TARGET == HWY_AVX3
// Computes the outputs of whole blocks with adjacent points.
template <class Narrow>
HWY_INLINE void narrow_contiguous(const S8Finish& f, Block block) {
  const s8::Bounds bounds = f.bounds;
  const Narrow narrowing(f, block.first / kBlock);
  const auto narrow_next = [&]<int kCount>() HWY_ATTR {
    __m512i sums[kCount];
    const Block first = block;
    for (int p = 0; p < kCount; ++p, block.advance()) sums[p] = _mm512_loadu_si512(block.sums);
    s8_narrow_some<kCount>(narrowing, sums, bounds, first.residual, first.output);
  };
  int64_t points = f.points;
  for (; points >= 4; points -= 4) narrow_next.template operator()<4>();
  for (; points > 0; --points) narrow_next.template operator()<1>();
}
#endif

#if HWY_TARGET == HWY_NEON
// Computes the outputs of kCount points. Narrowing their vectors together halves the number of instructions, and
// deferring the stores avoids stalls between points.
template <int kCount, class Narrow>
HWY_INLINE void narrow_several(const Narrow& narrowing, int8x16_t low, int8x16_t high, Block& block) {
  int8x16_t outputs[kCount];
  int8_t* to[kCount];
  _Pragma("GCC unroll 4") for (int p = 0; p < kCount; ++p, block.advance()) {
    V32 y[kVectors];
    for (int64_t v = 0; v < kVectors; ++v) y[v] = narrowing(block, v);
    const int16x8_t first = vqmovn_high_s32(vqmovn_s32(y[0].raw), y[1].raw);
    const int16x8_t second = vqmovn_high_s32(vqmovn_s32(y[2].raw), y[3].raw);
    outputs[p] = vminq_s8(vmaxq_s8(vqmovn_high_s16(vqmovn_s16(first), second), low), high);
    to[p] = block.output;
  }
  _Pragma("GCC unroll 4") for (int p = 0; p < kCount; ++p) vst1q_s8(to[p], outputs[p]);
}
#endif

#if HWY_TARGET == HWY_AVX2
// Computes the outputs of two points. Narrowing them together needs a third of the instructions.
template <class Narrow>
HWY_INLINE void narrow_two(const Narrow& narrowing, s8::Bounds bounds, Block& block) {
  __m256i words[2];
  int8_t* to[2];
  for (int p = 0; p < 2; ++p, block.advance()) {
    words[p] = _mm256_packs_epi32(narrowing(block, 0).raw, narrowing(block, 1).raw);
    to[p] = block.output;
  }
  const __m256i low = _mm256_set1_epi8(static_cast<char>(bounds.low));
  const __m256i high = _mm256_set1_epi8(static_cast<char>(bounds.high));
  // Each 128-bit half contains the same eight outputs of both points, in groups of four.
  const __m256i by_point = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(words[0], words[1]), by_point);
  const __m256i outputs = _mm256_min_epi8(_mm256_max_epi8(bytes, low), high);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to[0]), _mm256_castsi256_si128(outputs));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to[1]), _mm256_extracti128_si256(outputs, 1));
}
#endif

// Computes the s8 outputs of whole blocks.
template <class Narrow>
HWY_INLINE void narrow_points(const S8Finish& f, Block block) {
  const s8::Bounds bounds = f.bounds;
  const Narrow narrowing(f, block);
  int64_t points = f.points;
#if HWY_TARGET == HWY_NEON
  const int8x16_t low = vdupq_n_s8(static_cast<int8_t>(bounds.low));
  const int8x16_t high = vdupq_n_s8(static_cast<int8_t>(bounds.high));
  for (; points >= 4; points -= 4) narrow_several<4>(narrowing, low, high, block);
  for (; points > 0; --points) narrow_several<1>(narrowing, low, high, block);
#else
#if HWY_TARGET == HWY_AVX2
  for (; points >= 2; points -= 2) narrow_two(narrowing, bounds, block);
#endif
  for (; points > 0; --points, block.advance())
    for (int64_t v = 0; v < kVectors; ++v) store_s8(narrowing(block, v), bounds, block.output + v * kLanes);
#endif
}

// Shifts whole blocks.
template <bool kEven>
HWY_INLINE void shift_whole(const S8Finish& f, const Block& block) {
#if HWY_TARGET == HWY_AVX3
  if (block.point_stride == kBlock) {
    if (f.residual == nullptr) return narrow_contiguous<S8Shifting<kEven>>(f, block);
    return narrow_contiguous<S8Adding<kEven>>(f, block);
  }
#endif
  if (f.residual == nullptr) return narrow_points<Narrowing<false, kEven>>(f, block);
  narrow_points<Narrowing<true, kEven>>(f, block);
}

HWY_NOINLINE void narrow_whole(const S8Finish& f, const Block& block) {
  if (f.scale == nullptr) return f.is_half_even() ? shift_whole<true>(f, block) : shift_whole<false>(f, block);
#if HWY_TARGET == HWY_AVX3
  if (block.point_stride == kBlock) return narrow_contiguous<S8Scaling>(f, block);
#endif
  narrow_points<Scaling>(f, block);
}

// Computes the outputs of partial blocks point by point, using whole blocks as temporary copies.
HWY_INLINE void narrow_partial(const S8Finish& f, Block block) {
  S8Finish one = f;
  one.points = 1;
  for (int64_t p = f.points; p > 0; --p, block.advance()) {
    int8_t residual[kBlock] = {}, whole[kBlock];
    Block copy = block;
    copy.output = whole;
    if (block.residual != nullptr) {
      copy_lanes(block.residual, block.lanes, residual);
      copy.residual = residual;
    }
    narrow_whole(one, copy);
    copy_lanes(whole, block.lanes, block.output);
  }
}

HWY_INLINE void widen_points(int64_t points, Block block, const float* scales) {
  const DF d;
  for (int64_t p = points; p > 0; --p, block.advance()) {
    float whole[kBlock];
    float* to = block.lanes == kBlock ? block.wide : whole;
    for (int64_t i = 0; i < kBlock; i += kLanes)
      hn::StoreU(hn::Mul(hn::ConvertTo(d, hn::LoadU(D32(), block.sums + i)), hn::LoadU(d, scales + i)), d, to + i);
    if (block.lanes < kBlock) copy_lanes(whole, block.lanes, block.wide);
  }
}

}  // namespace

void s8_finish(const S8Finish& f) {
  for (int64_t b = 0; b < f.blocks; ++b) {
    const Block block(f, b);
    if (f.wide != nullptr)
      widen_points(f.points, block, f.scale + b * kBlock);
    else if (block.lanes == kBlock)
      narrow_whole(f, block);
    else
      narrow_partial(f, block);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(s8_finish)

S8FinishFunction s8_finish_function() { return simd_pick(s8_finish_table); }

}  // namespace nestrt::kernels
#endif
