// Depthwise rows with AVX-512 VNNI. vpdpbusd multiplies unsigned with signed bytes, so inputs get their sign bit
// flipped, which adds 128; that goes for the padding too, which is what stands for zero in the input.
#include "hwy/base.h"
#include "kernels/common/integers.h"
#include "kernels/conv/conv_s8_depthwise16.h"

#if HWY_ARCH_X86
#include <immintrin.h>

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;
constexpr int64_t kPixels = 4;  // in a vector

// Four pixels of 16 channels as [16 channels][4 pixels], all plus 128.
HWY_INLINE __m512i by_channel(__m512i pixels) {
  const __m512i channels_first = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_set4_epi32(0x0f0b0703, 0x0e0a0602, 0x0d090501, 0x0c080400);
  // maskz: GCC warns of the form without a mask.
  const __m512i mixed = _mm512_shuffle_epi8(_mm512_maskz_permutexvar_epi32(0xFFFF, channels_first, pixels), bytes);
  return _mm512_xor_si512(mixed, _mm512_set1_epi32(static_cast<int32_t>(0x80808080)));
}

constexpr uint32_t kAllPixels = 0xFFFF;

// Those of the pixels x to x + 3 that a line of `width` has, a bit for each 32 of theirs.
HWY_INLINE uint32_t pixels_inside(int64_t x, int64_t width) {
  uint32_t mask = 0;
  for (int64_t p = 0; p < kPixels; ++p)
    if (x + p >= 0 && x + p < width) mask |= 0xFu << (4 * p);
  return mask;
}

// The lines of input under a row of outputs. Nothing is read of those in the padding.
struct Lines {
  const int8_t* line[S8DepthwiseDot4::kMaxRows];
  uint32_t mask[S8DepthwiseDot4::kMaxRows];
  __m512i padding;
};

HWY_INLINE Lines lines_of(const S8DepthwiseRows& rows, int64_t output_y) {
  const auto& [depth, height, width] = rows.geometry->axes;
  Lines lines;
  lines.padding = _mm512_set1_epi8(static_cast<char>(rows.zero));
  int64_t next = 0;
  for (int64_t kz = 0; kz < depth.kernel; ++kz) {
    for (int64_t ky = 0; ky < height.kernel; ++ky, ++next) {
      const int64_t z = tap_position(depth, rows.z, kz), y = tap_position(height, output_y, ky);
      const bool inside = z >= 0 && y >= 0;
      lines.line[next] = rows.input + (inside ? (z * height.input + y) * width.input * kBlock : 0);
      lines.mask[next] = inside ? kAllPixels : 0;
    }
  }
  return lines;
}

// Outputs of a row whose four pixels are all in the line, [first, last).
struct Inner {
  int64_t first, last;
};

HWY_INLINE Inner inner_outputs(const ConvAxis& width, int64_t vectors) {
  const int64_t room = width.input + width.pad_begin - vectors * kPixels;
  const int64_t first = HWY_MIN(width.output, ceil_div(width.pad_begin, width.stride));
  const int64_t last = room < 0 ? 0 : HWY_MIN(width.output, room / width.stride + 1);
  return {first, HWY_MAX(first, last)};
}

HWY_INLINE __m512i load_pixels(const Lines& lines, int64_t r, int64_t x, uint32_t mask) {
  const auto inside = static_cast<__mmask16>(lines.mask[r] & mask);
  return by_channel(_mm512_mask_loadu_epi32(lines.padding, inside, lines.line[r] + x * kBlock));
}

// kCount outputs of one vector of pixels a row, for a kernel of three rows, whose weights stay in registers.
template <int kCount>
struct ThreeRows {
  static constexpr int kOutputs = kCount;

  explicit ThreeRows(const S8DepthwiseRows& rows) : start(_mm512_loadu_si512(rows.start)) {
    for (int i = 0; i < 3 * kOutputs; ++i) weights[i] = _mm512_loadu_si512(rows.weights + i * 64);
  }

  HWY_INLINE void run(const Lines& lines, int64_t x, uint32_t mask, __m512i* sums) const {
    for (int i = 0; i < kOutputs; ++i) sums[i] = start;
    _Pragma("GCC unroll 3") for (int r = 0; r < 3; ++r) {
      const __m512i pixels = load_pixels(lines, r, x, mask);
      for (int i = 0; i < kOutputs; ++i) sums[i] = _mm512_dpbusd_epi32(sums[i], pixels, weights[r * kOutputs + i]);
    }
  }

  __m512i start, weights[3 * kOutputs];
};

// The same for pairs of outputs and any number of rows.
struct AnyRows {
  static constexpr int kOutputs = 2;

  AnyRows(const S8DepthwiseRows& outputs, const S8DepthwiseDot4& dot4)
      : start(outputs.start), weights(outputs.weights), rows(dot4.rows) {}

  HWY_INLINE void run(const Lines& lines, int64_t x, uint32_t mask, __m512i* sums) const {
    sums[0] = sums[1] = _mm512_loadu_si512(start);
    for (int64_t r = 0; r < rows; ++r) {
      const __m512i pixels = load_pixels(lines, r, x, mask);
      sums[0] = _mm512_dpbusd_epi32(sums[0], pixels, _mm512_loadu_si512(weights + 2 * r * 64));
      sums[1] = _mm512_dpbusd_epi32(sums[1], pixels, _mm512_loadu_si512(weights + (2 * r + 1) * 64));
    }
  }

  const int32_t* start;
  const int8_t* weights;
  int64_t rows;
};

// Outputs x and, where the row has it, x + 1.
template <class Kernel>
HWY_INLINE void run_outputs(const Kernel& kernel, const Lines& lines, const ConvAxis& width, int64_t x, uint32_t mask,
                            int32_t* to) {
  __m512i sums[Kernel::kOutputs];
  kernel.run(lines, x * width.stride - width.pad_begin, mask, sums);
  for (int64_t i = 0; i < Kernel::kOutputs; ++i)
    if (i == 0 || x + i < width.output) _mm512_storeu_si512(to + (x + i) * kBlock, sums[i]);
}

template <class Kernel>
HWY_INLINE void run_row(const Kernel& kernel, const Lines& lines, const ConvAxis& width, int32_t* to) {
  const Inner inner = inner_outputs(width, 1);
  for (int64_t x = 0; x < width.output; x += Kernel::kOutputs) {
    if (x >= inner.first && x < inner.last)
      run_outputs(kernel, lines, width, x, kAllPixels, to);
    else
      run_outputs(kernel, lines, width, x, pixels_inside(x * width.stride - width.pad_begin, width.input), to);
  }
}

template <class Kernel>
void run_rows(const Kernel& kernel, const S8DepthwiseRows& rows) {
  const ConvAxis& width = rows.geometry->axes[2];
  for (int64_t i = 0; i < rows.count; ++i)
    run_row(kernel, lines_of(rows, rows.y + i), width, rows.sums + i * width.output * kBlock);
}

void singles_of_row(const S8DepthwiseRows& rows, const S8DepthwiseDot4& dot4, const Lines& lines, int32_t* to) {
  const ConvAxis& width = rows.geometry->axes[2];
  const Inner inner = inner_outputs(width, dot4.vectors);
  for (int64_t x = 0; x < width.output; ++x) {
    __m512i sums = _mm512_loadu_si512(rows.start);
    for (int64_t v = 0; v < dot4.vectors; ++v) {
      const int64_t at = x * width.stride - width.pad_begin + v * kPixels;
      const uint32_t mask = x >= inner.first && x < inner.last ? kAllPixels : pixels_inside(at, width.input);
      for (int64_t r = 0; r < dot4.rows; ++r) {
        const __m512i weights = _mm512_loadu_si512(rows.weights + (r * dot4.vectors + v) * 64);
        sums = _mm512_dpbusd_epi32(sums, load_pixels(lines, r, at, mask), weights);
      }
    }
    _mm512_storeu_si512(to + x * kBlock, sums);
  }
}

void depthwise_dot4(const S8DepthwiseRows& rows) {
  const S8DepthwiseDot4 dot4(*rows.geometry);
  if (dot4.rows == 3 && dot4.pairs) return run_rows(ThreeRows<2>(rows), rows);
  if (dot4.rows == 3 && dot4.vectors == 1) return run_rows(ThreeRows<1>(rows), rows);
  if (dot4.pairs) return run_rows(AnyRows(rows, dot4), rows);
  const int64_t row_sums = rows.geometry->axes[2].output * kBlock;
  for (int64_t i = 0; i < rows.count; ++i)
    singles_of_row(rows, dot4, lines_of(rows, rows.y + i), rows.sums + i * row_sums);
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
