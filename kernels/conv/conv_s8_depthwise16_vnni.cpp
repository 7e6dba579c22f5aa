// Depthwise rows with AVX-512 VNNI. vpdpbusd multiplies unsigned with signed bytes, so inputs get their sign bit
// flipped, which adds 128; that goes for the zeros of the padding too.
#include "kernels/common/simd.h"
#include "kernels/conv/conv_s8_depthwise16.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;
constexpr int64_t kPixels = 4;  // of a vector

// Four pixels of 16 channels as [16 channels][4 pixels], all plus 128.
HWY_INLINE __m512i by_channel(__m512i pixels) {
  const __m512i fours = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_set4_epi32(0x0f0b0703, 0x0e0a0602, 0x0d090501, 0x0c080400);
  // maskz: GCC warns of the form without a mask.
  const __m512i mixed = _mm512_shuffle_epi8(_mm512_maskz_permutexvar_epi32(0xFFFF, fours, pixels), bytes);
  return _mm512_xor_si512(mixed, _mm512_set1_epi32(static_cast<int32_t>(0x80808080)));
}

// Pixels x to x + 3 of a line of `width`, zeros where there are none. A null line is padding.
HWY_INLINE __m512i load_edge(const int8_t* line, int64_t x, int64_t width) {
  if (line == nullptr) return _mm512_setzero_si512();
  const int64_t first = x < 0 ? (x < -kPixels ? kPixels : -x) : 0;
  const int64_t last = width - x < 0 ? 0 : (width - x < kPixels ? width - x : kPixels);
  const uint32_t mask = ((1u << (4 * last)) - 1) & ~((1u << (4 * first)) - 1);
  return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), line + x * kBlock);
}

template <bool kInside>
HWY_INLINE __m512i load(const int8_t* line, int64_t x, int64_t width) {
  if constexpr (kInside) return _mm512_loadu_si512(line + x * kBlock);
  return load_edge(line, x, width);
}

// Where the lines of input under a row of outputs begin; null in the padding.
struct Lines {
  const int8_t* line[S8DepthwiseFours::kMaxRows];
  bool all_inside = true;
};

HWY_INLINE Lines lines_of(const S8DepthwiseRow& row) {
  const auto& [depth, height, width] = row.geometry->axes;
  Lines lines;
  int64_t next = 0;
  for (int64_t kz = 0; kz < depth.kernel; ++kz) {
    for (int64_t ky = 0; ky < height.kernel; ++ky) {
      const int64_t z = tap_position(depth, row.z, kz), y = tap_position(height, row.y, ky);
      const bool inside = z >= 0 && y >= 0;
      lines.line[next++] = inside ? row.input + (z * height.input + y) * width.input * kBlock : nullptr;
      lines.all_inside &= inside;
    }
  }
  return lines;
}

template <bool kInside>
HWY_INLINE void one_output(const S8DepthwiseRow& row, const S8DepthwiseFours& fours, const Lines& lines, int64_t x) {
  const ConvAxis& width = row.geometry->axes[2];
  const int8_t* weights = row.weights;
  const int64_t taps = fours.pairs ? 1 : fours.vectors;
  __m512i sums = _mm512_loadu_si512(row.start);
  for (int64_t r = 0; r < fours.rows; ++r, weights += fours.vectors * 64) {
    for (int64_t v = 0; v < taps; ++v) {
      const int64_t at = x * width.stride - width.pad_begin + v * kPixels;
      const __m512i pixels = by_channel(load<kInside>(lines.line[r], at, width.input));
      sums = _mm512_dpbusd_epi32(sums, pixels, _mm512_loadu_si512(weights + v * 64));
    }
  }
  _mm512_storeu_si512(row.sums + x * kBlock, sums);
}

// Outputs x and x + 1.
template <bool kInside>
HWY_INLINE void two_outputs(const S8DepthwiseRow& row, const S8DepthwiseFours& fours, const Lines& lines, int64_t x) {
  const ConvAxis& width = row.geometry->axes[2];
  const int8_t* weights = row.weights;
  __m512i first = _mm512_loadu_si512(row.start), second = first;
  for (int64_t r = 0; r < fours.rows; ++r, weights += 2 * 64) {
    const __m512i pixels = by_channel(load<kInside>(lines.line[r], x - width.pad_begin, width.input));
    first = _mm512_dpbusd_epi32(first, pixels, _mm512_loadu_si512(weights));
    second = _mm512_dpbusd_epi32(second, pixels, _mm512_loadu_si512(weights + 64));
  }
  _mm512_storeu_si512(row.sums + x * kBlock, first);
  _mm512_storeu_si512(row.sums + (x + 1) * kBlock, second);
}

// Whether all pixels that the vectors of an output hold are in the line.
HWY_INLINE bool is_inside(const ConvAxis& width, int64_t x, int64_t vectors) {
  const int64_t first = x * width.stride - width.pad_begin;
  return first >= 0 && first + vectors * kPixels <= width.input;
}

void depthwise_fours(const S8DepthwiseRow& row) {
  const S8DepthwiseFours fours(*row.geometry);
  const ConvAxis& width = row.geometry->axes[2];
  const Lines lines = lines_of(row);
  const int64_t taps = fours.pairs ? 1 : fours.vectors, step = fours.pairs ? 2 : 1;
  int64_t x = 0;
  for (; x + step <= width.output; x += step) {
    const bool inside = lines.all_inside && is_inside(width, x, taps);
    if (fours.pairs)
      inside ? two_outputs<true>(row, fours, lines, x) : two_outputs<false>(row, fours, lines, x);
    else
      inside ? one_output<true>(row, fours, lines, x) : one_output<false>(row, fours, lines, x);
  }
  if (x < width.output) one_output<false>(row, fours, lines, x);
}

}  // namespace
}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES

namespace nestrt::kernels {
S8DepthwiseFunction s8_depthwise_fours_function() {
  return current_isa() == Isa::kAvx512 && __builtin_cpu_supports("avx512vnni") ? depthwise_fours : nullptr;
}
}  // namespace nestrt::kernels

#else
namespace nestrt::kernels {
S8DepthwiseFunction s8_depthwise_fours_function() { return nullptr; }
}  // namespace nestrt::kernels
#endif
