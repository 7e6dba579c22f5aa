// SPDX-License-Identifier: Apache-2.0
// Depthwise rows with AVX-512 VNNI. vpdpbusd multiplies unsigned with signed bytes, so the sign bits of inputs are
// flipped, which adds 128. This also applies to the padding, which contains the input's zero point.
#include "hwy/base.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/s8/conv_s8_depthwise16.h"

#if HWY_ARCH_X86
#include <immintrin.h>

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#include "kernels/common/gemm_s8/s8_narrow_avx512-inl.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;
constexpr int64_t kPixels = 4;  // per vector

// Transposes four pixels of 16 channels to [16 channels][4 pixels] and adds 128 to each.
HWY_INLINE __m512i by_channel(__m512i pixels) {
  const __m512i channels_first = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_set4_epi32(0x0f0b0703, 0x0e0a0602, 0x0d090501, 0x0c080400);
  // Uses maskz because GCC warns about the form without a mask.
  const __m512i mixed = _mm512_shuffle_epi8(_mm512_maskz_permutexvar_epi32(0xFFFF, channels_first, pixels), bytes);
  return _mm512_xor_si512(mixed, _mm512_set1_epi32(static_cast<int32_t>(0x80808080)));
}

constexpr uint32_t kAllPixels = 0xFFFF;
constexpr int kOutputs = 4;  // adjacent outputs of a row computed together

// Returns a mask of those pixels x to x + 3 that are inside a line of `width` pixels, with one bit per four bytes.
HWY_INLINE uint32_t pixels_inside(int64_t x, int64_t width) {
  const int64_t before = HWY_MIN(HWY_MAX(-x, 0), kPixels), after = HWY_MIN(HWY_MAX(x + kPixels - width, 0), kPixels);
  return (kAllPixels << (4 * before)) & (kAllPixels >> (4 * after));
}

// The input lines that an output row reads. Lines in the padding are masked.
struct Lines {
  const int8_t* line[S8DepthwiseDot4::kMaxRows];
  uint32_t mask[S8DepthwiseDot4::kMaxRows];
  bool whole = true;  // no line is in the padding
  int64_t width = 0;
  __m512i padding;
};

HWY_INLINE Lines lines_of(const S8DepthwiseRows& rows, int64_t output_y) {
  const auto& [depth, height, width] = rows.geometry->axes;
  Lines lines;
  lines.width = width.input;
  lines.padding = _mm512_set1_epi8(static_cast<char>(rows.zero));
  int64_t next = 0;
  for (int64_t kz = 0; kz < depth.kernel; ++kz) {
    for (int64_t ky = 0; ky < height.kernel; ++ky, ++next) {
      const int64_t z = tap_position(depth, rows.z, kz), y = tap_position(height, output_y, ky);
      const bool inside = z >= 0 && y >= 0;
      lines.line[next] = rows.input + (inside ? (z * height.input + y) * width.input * kBlock : 0);
      lines.mask[next] = inside ? kAllPixels : 0;
      lines.whole = lines.whole && inside;
    }
  }
  return lines;
}

// The outputs [first, last) of a row from which the pixels of kOutputs consecutive outputs are all inside the line.
struct Inner {
  int64_t first, last;
};

HWY_INLINE Inner inner_outputs(const ConvAxis& width, int64_t vectors) {
  const int64_t room = width.input + width.pad_begin - vectors * kPixels - (kOutputs - 1) * width.stride;
  const int64_t first = HWY_MIN(width.output, ceil_div(width.pad_begin, width.stride));
  const int64_t last = room < 0 ? 0 : HWY_MIN(width.output, room / width.stride + 1);
  return {first, HWY_MAX(first, last)};
}

// Loads four pixels of line r, starting at x. kInner: all lines are inside the input and contain these pixels.
template <bool kInner>
HWY_INLINE __m512i load_pixels(const Lines& lines, int64_t r, int64_t x) {
  const int8_t* const from = lines.line[r] + x * kBlock;
  if constexpr (kInner) return by_channel(_mm512_loadu_si512(from));
  const auto inside = static_cast<__mmask16>(lines.mask[r] & pixels_inside(x, lines.width));
  return by_channel(_mm512_mask_loadu_epi32(lines.padding, inside, from));
}

// For kernels of three rows: the weights stay in registers. Each vector of pixels contributes to kPaired outputs.
template <int kPaired>
struct ThreeRows {
  explicit ThreeRows(const S8DepthwiseRows& rows) : start(_mm512_loadu_si512(rows.start)) {
    for (int i = 0; i < 3 * kPaired; ++i) weights[i] = _mm512_loadu_si512(rows.weights + i * 64);
  }

  // Computes the sums of kOutputs outputs. The first pixel of the first output is x; those of the next outputs are
  // `step` apart.
  template <bool kInner>
  HWY_INLINE void run(const Lines& lines, int64_t x, int64_t step, __m512i* sums) const {
    _Pragma("GCC unroll 4") for (int i = 0; i < kOutputs; i += kPaired) {
      for (int k = 0; k < kPaired; ++k) sums[i + k] = start;
      _Pragma("GCC unroll 3") for (int r = 0; r < 3; ++r) {
        const __m512i pixels = load_pixels<kInner>(lines, r, x + i * step);
        for (int k = 0; k < kPaired; ++k)
          sums[i + k] = _mm512_dpbusd_epi32(sums[i + k], pixels, weights[r * kPaired + k]);
      }
    }
  }

  __m512i start, weights[3 * kPaired];
};

// Does the same for any number of rows and, without pairs, any number of vectors per row.
struct AnyRows {
  AnyRows(const S8DepthwiseRows& outputs, const S8DepthwiseDot4& dot4)
      : start(outputs.start), weights(outputs.weights), shape(dot4) {}

  template <bool kInner>
  HWY_INLINE void run(const Lines& lines, int64_t x, int64_t step, __m512i* sums) const {
    for (int i = 0; i < kOutputs; i += shape.pairs ? 2 : 1, x += shape.pairs ? 2 * step : step) {
      sums[i] = _mm512_loadu_si512(start);
      if (shape.pairs)
        add_pair<kInner>(lines, x, sums + i);
      else
        add_single<kInner>(lines, x, sums[i]);
    }
  }

  template <bool kInner>
  HWY_INLINE void add_pair(const Lines& lines, int64_t x, __m512i* sums) const {
    sums[1] = sums[0];
    for (int64_t r = 0; r < shape.rows; ++r) {
      const __m512i pixels = load_pixels<kInner>(lines, r, x);
      sums[0] = _mm512_dpbusd_epi32(sums[0], pixels, _mm512_loadu_si512(weights + 2 * r * 64));
      sums[1] = _mm512_dpbusd_epi32(sums[1], pixels, _mm512_loadu_si512(weights + (2 * r + 1) * 64));
    }
  }

  template <bool kInner>
  HWY_INLINE void add_single(const Lines& lines, int64_t x, __m512i& sums) const {
    for (int64_t v = 0; v < shape.vectors; ++v)
      for (int64_t r = 0; r < shape.rows; ++r)
        sums = _mm512_dpbusd_epi32(sums, load_pixels<kInner>(lines, r, x + v * kPixels),
                                   _mm512_loadu_si512(weights + (r * shape.vectors + v) * 64));
  }

  const int32_t* start;
  const int8_t* weights;
  S8DepthwiseDot4 shape;
};

// Stores the first `count` of kOutputs sums at output `at` of the rows.
struct StoreSums {
  HWY_INLINE void operator()(const __m512i* sums, int64_t at, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) _mm512_storeu_si512(to + (at + i) * kBlock, sums[i]);
  }
  int32_t* to;
};

template <class Narrowing>
struct StoreOutputs {
  explicit StoreOutputs(const S8Finish& finish) : narrowing(finish, 0), f(finish) {}

  HWY_INLINE void operator()(const __m512i* sums, int64_t at, int64_t count) const {
    int8_t* const to = f.output + at * kBlock;
    if (HWY_LIKELY(count == kOutputs)) return s8_narrow_some<kOutputs>(narrowing, sums, f.bounds, nullptr, to);
    for (int64_t i = 0; i < count; ++i) s8_narrow_some<1>(narrowing, sums + i, f.bounds, nullptr, to + i * kBlock);
  }

  Narrowing narrowing;
  S8Finish f;
};

template <class Kernel, class Store>
HWY_INLINE void run_row(const Kernel& kernel, const Lines& lines, const ConvAxis& width, Inner inner, int64_t at,
                        const Store& store) {
  for (int64_t x = 0; x < width.output; x += kOutputs) {
    __m512i sums[kOutputs];
    const int64_t from = x * width.stride - width.pad_begin;
    if (lines.whole && x >= inner.first && x < inner.last)
      kernel.template run<true>(lines, from, width.stride, sums);
    else
      kernel.template run<false>(lines, from, width.stride, sums);
    store(sums, at + x, HWY_MIN(width.output - x, kOutputs));
  }
}

template <class Kernel, class Store>
HWY_NOINLINE void run_rows(const Kernel& kernel, int64_t vectors, const S8DepthwiseRows& rows, const Store& store) {
  const ConvAxis& width = rows.geometry->axes[2];
  const Inner inner = inner_outputs(width, vectors);
  for (int64_t i = 0; i < rows.count; ++i)
    run_row(kernel, lines_of(rows, rows.y + i), width, inner, i * width.output, store);
}

template <class Store>
void run_three_rows(bool pairs, const S8DepthwiseRows& rows, const Store& store) {
  if (pairs) return run_rows(ThreeRows<2>(rows), 1, rows, store);
  run_rows(ThreeRows<1>(rows), 1, rows, store);
}

void depthwise_dot4(const S8DepthwiseRows& rows) {
  const S8DepthwiseDot4 dot4(*rows.geometry);
  const StoreSums sums{rows.sums};
  if (!dot4.has_three_rows()) return run_rows(AnyRows(rows, dot4), dot4.pairs ? 1 : dot4.vectors, rows, sums);
  if (rows.finish == nullptr) return run_three_rows(dot4.pairs, rows, sums);
  if (rows.finish->scale != nullptr) return run_three_rows(dot4.pairs, rows, StoreOutputs<S8Scaling>(*rows.finish));
  if (rows.finish->is_half_even())
    return run_three_rows(dot4.pairs, rows, StoreOutputs<S8Shifting<true>>(*rows.finish));
  run_three_rows(dot4.pairs, rows, StoreOutputs<S8Shifting<false>>(*rows.finish));
}

}  // namespace
}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES

namespace nestrt::kernels {
S8DepthwiseFunction s8_depthwise_dot4_function() { return depthwise_dot4; }
}  // namespace nestrt::kernels

#else
namespace nestrt::kernels {
S8DepthwiseFunction s8_depthwise_dot4_function() { return nullptr; }
}  // namespace nestrt::kernels
#endif
