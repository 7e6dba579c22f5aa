// SPDX-License-Identifier: Apache-2.0
// Converts s8 product sums in AVX-512 registers to s8 outputs. Converting four points of a block of 16 outputs together
// needs a third of the instructions per point. See kernels/common/gemm_s8/s8_finish.h for the epilogue. Include once
// per source, in code compiled for an instruction set with avx512bw; everything has internal linkage.
#pragma once

#include <immintrin.h>

#include "hwy/base.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/gemm_s8/s8_finish.h"

namespace nestrt::kernels {
namespace {

// Converts sums by shifting, without a residual. kEven: the rounding is half_even, as in s8::shift_raised().
template <bool kEven>
class S8Shifting {
 public:
  S8Shifting(const S8Finish& f, int64_t block)
      : shift_(_mm512_loadu_si512(f.shift + block * kTileBlock)),
        odd_bit_(_mm512_min_epi32(shift_, _mm512_set1_epi32(1))) {}

  // Returns the output before the zero point is added. The second argument is the address of the residual, which is
  // unused.
  HWY_INLINE __m512i steps(__m512i sums, const int8_t*) const {
    const __m512i shifted = _mm512_srav_epi32(sums, shift_);
    if constexpr (!kEven) return shifted;
    return _mm512_srav_epi32(_mm512_sub_epi32(sums, _mm512_and_si512(shifted, odd_bit_)), shift_);
  }
  // 16-bit, saturating.
  static HWY_INLINE __m512i with_zero(__m512i words) { return words; }

 private:
  __m512i shift_, odd_bit_;
};

// Converts sums by shifting, and adds a residual.
template <bool kEven>
class S8Adding {
 public:
  S8Adding(const S8Finish& f, int64_t block)
      : shifting_(f, block),
        left_sum_(_mm_cvtsi32_si128(f.add.left_a)),
        left_residual_(_mm_cvtsi32_si128(f.add.left_b)),
        right_(_mm_cvtsi32_si128(f.add.right)),
        rounding_term_(_mm512_set1_epi32(s8::rounding_term(f.add.right, f.rounding))),
        odd_bit_(_mm512_set1_epi32(f.add.right == 0 ? 0 : 1)) {}

  HWY_INLINE __m512i steps(__m512i sums, const int8_t* residual) const {
    const __m512i low = _mm512_set1_epi32(s8::kLow), high = _mm512_set1_epi32(s8::kHigh);
    const __m512i narrow = _mm512_min_epi32(_mm512_max_epi32(shifting_.steps(sums, residual), low), high);
    const __m512i added = _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(residual)));
    const __m512i sum = _mm512_add_epi32(_mm512_sll_epi32(narrow, left_sum_), _mm512_sll_epi32(added, left_residual_));
    const __m512i raised = _mm512_add_epi32(sum, rounding_term_);
    if constexpr (!kEven) return _mm512_sra_epi32(raised, right_);
    const __m512i odd = _mm512_and_si512(_mm512_sra_epi32(raised, right_), odd_bit_);
    return _mm512_sra_epi32(_mm512_sub_epi32(raised, odd), right_);
  }
  static HWY_INLINE __m512i with_zero(__m512i words) { return words; }

 private:
  S8Shifting<kEven> shifting_;
  __m128i left_sum_, left_residual_, right_;
  __m512i rounding_term_, odd_bit_;
};

// Converts sums by scaling. The conversion to integers rounds half to even. Values below the integer range become the
// lowest integer, so only the upper bound is applied before the conversion.
class S8Scaling {
 public:
  S8Scaling(const S8Finish& f, int64_t block)
      : scale_(_mm512_loadu_ps(f.scale + block * kTileBlock)),
        high_(_mm512_set1_ps(static_cast<float>(f.bounds.high - f.output_zero))),
        zero_(_mm512_set1_epi16(static_cast<int16_t>(f.output_zero))) {}

  HWY_INLINE __m512i steps(__m512i sums, const int8_t*) const {
    return _mm512_cvtps_epi32(_mm512_min_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale_), high_));
  }
  HWY_INLINE __m512i with_zero(__m512i words) const { return _mm512_adds_epi16(words, zero_); }

 private:
  __m512 scale_, high_;
  __m512i zero_;
};

// Writes the outputs of kCount (1 to 4) adjacent points to `to`.
template <int kCount, class Narrowing>
HWY_INLINE void s8_narrow_some(const Narrowing& narrowing, const __m512i* sums, s8::Bounds bounds,
                               const int8_t* residual, int8_t* to) {
  __m512i y[kCount];
  _Pragma("GCC unroll 4") for (int p = 0; p < kCount; ++p) {
    y[p] = narrowing.steps(sums[p], residual == nullptr ? nullptr : residual + p * kTileBlock);
  }
  // Each 128-bit lane holds the same four outputs of every point.
  const __m512i first = narrowing.with_zero(_mm512_packs_epi32(y[0], y[kCount > 1]));
  const __m512i second =
      kCount <= 2 ? first : narrowing.with_zero(_mm512_packs_epi32(y[kCount > 2 ? 2 : 0], y[kCount - 1]));
  const __m512i by_point = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  // Uses maskz because GCC warns about the form without a mask.
  const __m512i points = _mm512_maskz_permutexvar_epi32(0xFFFF, by_point, _mm512_packs_epi16(first, second));
  const __m512i low = _mm512_set1_epi8(static_cast<char>(bounds.low));
  const __m512i high = _mm512_set1_epi8(static_cast<char>(bounds.high));
  const __m512i outputs = _mm512_min_epi8(_mm512_max_epi8(points, low), high);
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(0xFFFF >> (16 - 4 * kCount)), outputs);
}

// Does the same for any number of points.
template <int kPoints, class Narrowing>
HWY_INLINE void s8_narrow_all(const Narrowing& narrowing, const __m512i* sums, s8::Bounds bounds,
                              const int8_t* residual, int8_t* to) {
  constexpr int kCount = HWY_MIN(kPoints, 4);
  s8_narrow_some<kCount>(narrowing, sums, bounds, residual, to);
  if constexpr (kCount < kPoints) {
    const int8_t* const next = residual == nullptr ? nullptr : residual + kCount * kTileBlock;
    s8_narrow_all<kPoints - kCount>(narrowing, sums + kCount, bounds, next, to + kCount * kTileBlock);
  }
}

template <int kPoints, bool kEven>
HWY_INLINE void s8_shift_block(const __m512i (&sums)[kPoints], const S8Finish& f, int64_t block) {
  int8_t* const to = f.output + block * f.block_stride;
  if (f.residual == nullptr) return s8_narrow_all<kPoints>(S8Shifting<kEven>(f, block), sums, f.bounds, nullptr, to);
  s8_narrow_all<kPoints>(S8Adding<kEven>(f, block), sums, f.bounds, f.residual + block * f.block_stride, to);
}

// Computes the outputs of one block for adjacent points.
template <int kPoints>
HWY_INLINE void s8_narrow_block(const __m512i (&sums)[kPoints], const S8Finish& f, int64_t block) {
  if (f.scale == nullptr && f.is_half_even()) return s8_shift_block<kPoints, true>(sums, f, block);
  if (f.scale == nullptr) return s8_shift_block<kPoints, false>(sums, f, block);
  int8_t* const to = f.output + block * f.block_stride;
  s8_narrow_all<kPoints>(S8Scaling(f, block), sums, f.bounds, nullptr, to);
}

}  // namespace
}  // namespace nestrt::kernels
