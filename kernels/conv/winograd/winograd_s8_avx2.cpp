// SPDX-License-Identifier: Apache-2.0
// The transforms and products of s8 Winograd convolutions with AVX2. vpmaddwd multiplies pairs of channels, so a
// product computes 16 multiplications of 16-bit numbers, equivalent to 64 of a direct convolution.
#include "hwy/detect_targets.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include <bit>
#include <cstring>

#include "hwy/base.h"
#include "kernels/conv/winograd/winograd_s8.h"

HWY_PUSH_ATTRIBUTES("avx2")
#include "kernels/conv/winograd/winograd_s8_transforms-inl.h"

namespace nestrt::kernels {
namespace {

HWY_INLINE __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
HWY_INLINE void store(__m256i v, void* to) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }

struct Words {
  static constexpr int kLanes = 16;
  using Vector = __m256i;

  static HWY_INLINE Vector load(const int8_t* from) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static HWY_INLINE void store(Vector v, int16_t* const (&to)[4], int64_t at) {
    const __m128i low = _mm256_castsi256_si128(v), high = _mm256_extracti128_si256(v, 1);
    _mm_storeh_pd(reinterpret_cast<double*>(to[3] + at), _mm_castsi128_pd(high));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to[2] + at), high);
    _mm_storeh_pd(reinterpret_cast<double*>(to[1] + at), _mm_castsi128_pd(low));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to[0] + at), low);
  }
  static HWY_INLINE Vector add(Vector a, Vector b) { return _mm256_add_epi16(a, b); }
  static HWY_INLINE Vector sub(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
  template <int k>
  static HWY_INLINE Vector plus(Vector y, Vector x) {
    return add(y, _mm256_mullo_epi16(x, _mm256_set1_epi16(k)));
  }
  template <int k>
  static HWY_INLINE Vector minus(Vector y, Vector x) {
    return sub(y, _mm256_mullo_epi16(x, _mm256_set1_epi16(k)));
  }
};

struct Sums {
  static constexpr int kLanes = 8;
  using Vector = __m256i;

  static HWY_INLINE Vector load(const int32_t* from) { return kernels::load(from); }
  static HWY_INLINE void store(Vector v, int32_t* to) { kernels::store(v, to); }
  static HWY_INLINE Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  static HWY_INLINE Vector sub(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
  // `k` is a power of two: vpmulld takes two multiplications.
  template <uint32_t k>
  static HWY_INLINE Vector plus(Vector y, Vector x) {
    return add(y, _mm256_slli_epi32(x, std::countr_zero(k)));
  }
  template <uint32_t k>
  static HWY_INLINE Vector minus(Vector y, Vector x) {
    return sub(y, _mm256_slli_epi32(x, std::countr_zero(k)));
  }
  static HWY_INLINE Vector divide(Vector v) {
    return _mm256_srai_epi32(_mm256_mullo_epi32(v, _mm256_set1_epi32(static_cast<int>(kInverse225))), 2);
  }
};

// The sums of one tile for outputs 0 to 7 and 8 to 15.
struct TileSums {
  __m256i low, high;
};

// Computes one group.
template <int kTiles>
HWY_INLINE void multiply(const WinogradS8Product& product, const int16_t* inputs, int32_t* sums) {
  TileSums of[kTiles];
  NESTRT_UNROLL for (int t = 0; t < kTiles; ++t) of[t].low = of[t].high = _mm256_setzero_si256();
  const int16_t* weights = product.weights;
  for (int64_t step = product.steps; step > 0; --step, inputs += kTiles * kWinogradS8Step) {
    NESTRT_UNROLL for (int pair = 0; pair < kWinogradS8Step / kWinogradS8Adjacent;
                       ++pair, weights += kWinogradS8Adjacent * kTileBlock) {
      _mm_prefetch(reinterpret_cast<const char*>(weights) + product.prefetch_bytes, _MM_HINT_T0);
      const __m256i low = load(weights), high = load(weights + kTileBlock);
      NESTRT_UNROLL for (int t = 0; t < kTiles; ++t) {
        int32_t two_channels;
        std::memcpy(&two_channels, inputs + t * kWinogradS8Step + pair * kWinogradS8Adjacent, sizeof two_channels);
        const __m256i x = _mm256_set1_epi32(two_channels);
        of[t].low = _mm256_add_epi32(of[t].low, _mm256_madd_epi16(x, low));
        of[t].high = _mm256_add_epi32(of[t].high, _mm256_madd_epi16(x, high));
      }
    }
  }
  NESTRT_UNROLL for (int t = 0; t < kTiles; ++t, sums += kTileBlock) {
    store(of[t].low, sums);
    store(of[t].high, sums + kTileBlock / 2);
  }
}

template <int kTiles>
void multiply_groups(const WinogradS8Product& product) {
  for (int64_t i = 0; i < product.groups; ++i)
    multiply<kTiles>(product, product.inputs + i * product.steps * kTiles * kWinogradS8Step,
                     product.sums + i * kTiles * kTileBlock);
}

// G g
HWY_INLINE void transform_weights(const __m256i (&g)[3], __m256i (&to)[kSide]) {
  const __m256i five = _mm256_set1_epi16(5), fifteen = _mm256_set1_epi16(15);
  const __m256i outer = Words::add(g[0], g[2]), middle = Words::add(g[1], g[1]);
  to[0] = _mm256_mullo_epi16(g[0], fifteen);
  to[1] = Words::sub(_mm256_setzero_si256(), _mm256_mullo_epi16(Words::add(outer, g[1]), five));
  to[2] = _mm256_mullo_epi16(Words::sub(outer, g[1]), five);
  to[3] = Words::add(Words::add(g[0], middle), _mm256_slli_epi16(g[2], 2));
  to[4] = Words::sub(Words::sub(middle, g[2]), _mm256_slli_epi16(g[0], 2));
  to[5] = _mm256_mullo_epi16(g[2], fifteen);
}

// Stores the same pair of channels of eight outputs. `first`, `second`: four channels of four outputs each.
template <int kWhich>
HWY_INLINE void store_pair(__m256i first, __m256i second, int16_t* to) {
  constexpr int kPicks = kWhich == 0 ? 0b10'00'10'00 : 0b11'01'11'01;
  const __m256i mixed =
      _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), kPicks));
  store(_mm256_permute4x64_epi64(mixed, 0b11'01'10'00), to);
}

// Transforms the weights of four channels and 16 outputs. `from`: [9][16][4], `stride` apart. `to`: positions are
// `position_stride` apart.
HWY_INLINE void transform_group(const int8_t* from, int64_t stride, int16_t* to, int64_t position_stride) {
  constexpr int kQuarters = 4, kKernel = 3;  // four outputs each
  __m256i all[kSide][kSide][kQuarters];
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    __m256i columns[kKernel][kSide];
    NESTRT_UNROLL for (int x = 0; x < kKernel; ++x) {
      __m256i g[kKernel];
      NESTRT_UNROLL for (int y = 0; y < kKernel; ++y) g[y] = _mm256_cvtepi8_epi16(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + (y * kKernel + x) * stride + quarter * kTileBlock)));
      transform_weights(g, columns[x]);
    }
    NESTRT_UNROLL for (int y = 0; y < kSide; ++y) {
      const __m256i g[kKernel] = {columns[0][y], columns[1][y], columns[2][y]};
      __m256i row[kSide];
      transform_weights(g, row);
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x) all[y][x][quarter] = row[x];
    }
  }
  constexpr int64_t kHalf = kWinogradS8Adjacent * kTileBlock / 2;
  for (const auto& row : all)
    for (const auto& v : row) {
      store_pair<0>(v[0], v[1], to);
      store_pair<0>(v[2], v[3], to + kHalf);
      store_pair<1>(v[0], v[1], to + 2 * kHalf);
      store_pair<1>(v[2], v[3], to + 3 * kHalf);
      to += position_stride;
    }
}

}  // namespace

void winograd_s8_weights(const int8_t* from, int64_t channels, int16_t* to) {
  constexpr int64_t kGroupBytes = kWinogradS8Step * kTileBlock, kTaps = 9;
  for (int64_t c = 0; c < channels; c += kWinogradS8Step) {
    const int64_t in_block = c % kTileBlock;
    transform_group(from + (c - in_block) * kTaps * kTileBlock + in_block / kWinogradS8Step * kGroupBytes,
                    kTileBlock * kTileBlock, to + c * kTileBlock, channels * kTileBlock);
  }
}

void winograd_s8_input(const WinogradS8Input& tile) { transform_tile<Words>(tile); }

void winograd_s8_multiply_six(const WinogradS8Product& product) { multiply_groups<kWinogradS8Group>(product); }

void winograd_s8_multiply_four(const WinogradS8Product& product) { multiply_groups<kWinogradS8SmallGroup>(product); }

void winograd_s8_output(const WinogradS8Output& tile) { transform_products<Sums>(tile); }

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
