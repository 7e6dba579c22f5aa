// SPDX-License-Identifier: Apache-2.0
// The transforms and products of s8 Winograd convolutions with AVX2. vpmaddwd multiplies pairs of channels, so a
// product computes 16 multiplications of 16-bit numbers, equivalent to 64 of a direct convolution.
#include "hwy/detect_targets.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include <cstring>

#include "hwy/base.h"
#include "kernels/conv/winograd/winograd_s8.h"

HWY_PUSH_ATTRIBUTES("avx2")
namespace nestrt::kernels {
namespace {

constexpr int kSide = static_cast<int>(kWinogradSide), kTile = static_cast<int>(kWinogradTile);
constexpr int kInverse225 = static_cast<int>(0x87654321u);  // modulo 2^32
static_assert(0x87654321u * 225 == 1);

#define NESTRT_UNROLL _Pragma("GCC unroll 8")

constexpr int kPair = 2;  // channels

HWY_INLINE __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
HWY_INLINE void store(__m256i v, void* to) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }

HWY_INLINE __m256i twice(__m256i v) { return _mm256_add_epi16(v, v); }
HWY_INLINE __m256i thrice(__m256i v) { return _mm256_add_epi16(v, twice(v)); }

// B^T d
HWY_INLINE void transform_input(const __m256i (&d)[kSide], __m256i (&to)[kSide]) {
  const __m256i a = _mm256_sub_epi16(d[4], d[2]), b = _mm256_sub_epi16(d[3], d[1]);
  const __m256i e = _mm256_sub_epi16(d[0], d[2]), f = _mm256_sub_epi16(d[5], d[3]);
  const __m256i p = _mm256_add_epi16(e, a), q = _mm256_sub_epi16(f, b);
  const __m256i r = _mm256_add_epi16(a, b), s = _mm256_sub_epi16(a, b);
  to[0] = _mm256_sub_epi16(twice(p), thrice(b));
  to[1] = _mm256_sub_epi16(twice(r), thrice(_mm256_add_epi16(d[2], d[3])));
  to[2] = _mm256_add_epi16(twice(s), thrice(_mm256_sub_epi16(d[2], d[3])));
  to[3] = _mm256_add_epi16(twice(a), b);
  to[4] = _mm256_sub_epi16(a, twice(b));
  to[5] = _mm256_sub_epi16(twice(q), thrice(a));
}

// A^T m, modulo 2^32
HWY_INLINE void transform_output(const __m256i (&m)[kSide], __m256i (&to)[kTile]) {
  const __m256i p = _mm256_add_epi32(m[1], m[2]), q = _mm256_sub_epi32(m[1], m[2]);
  const __m256i m4 = _mm256_slli_epi32(m[4], 1);
  to[0] = _mm256_add_epi32(_mm256_add_epi32(_mm256_add_epi32(m[0], p), m[3]), _mm256_slli_epi32(m[4], 3));
  to[1] = _mm256_sub_epi32(_mm256_add_epi32(q, _mm256_slli_epi32(m[3], 1)), _mm256_slli_epi32(m[4], 2));
  to[2] = _mm256_add_epi32(_mm256_add_epi32(p, m4), _mm256_slli_epi32(m[3], 2));
  to[3] = _mm256_add_epi32(_mm256_add_epi32(q, _mm256_sub_epi32(m[5], m[4])), _mm256_slli_epi32(m[3], 3));
}

// Stores the first `steps` groups of four channels.
HWY_INLINE void store_steps(__m256i channels, int64_t steps, int64_t step_stride, int16_t* to) {
  const __m128i low = _mm256_castsi256_si128(channels), high = _mm256_extracti128_si256(channels, 1);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), low);
  if (steps > 1) _mm_storeh_pd(reinterpret_cast<double*>(to + step_stride), _mm_castsi128_pd(low));
  if (steps > 2) _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 2 * step_stride), high);
  if (steps > 3) _mm_storeh_pd(reinterpret_cast<double*>(to + 3 * step_stride), _mm_castsi128_pd(high));
}

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
    NESTRT_UNROLL for (int pair = 0; pair < kWinogradS8Step / kPair; ++pair, weights += kPair * kTileBlock) {
      _mm_prefetch(reinterpret_cast<const char*>(weights) + product.prefetch_bytes, _MM_HINT_T0);
      const __m256i low = load(weights), high = load(weights + kTileBlock);
      NESTRT_UNROLL for (int t = 0; t < kTiles; ++t) {
        int32_t two_channels;
        std::memcpy(&two_channels, inputs + t * kWinogradS8Step + pair * kPair, sizeof two_channels);
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
  const __m256i outer = _mm256_add_epi16(g[0], g[2]), middle = twice(g[1]);
  to[0] = _mm256_mullo_epi16(g[0], fifteen);
  to[1] = _mm256_sub_epi16(_mm256_setzero_si256(), _mm256_mullo_epi16(_mm256_add_epi16(outer, g[1]), five));
  to[2] = _mm256_mullo_epi16(_mm256_sub_epi16(outer, g[1]), five);
  to[3] = _mm256_add_epi16(_mm256_add_epi16(g[0], middle), _mm256_slli_epi16(g[2], 2));
  to[4] = _mm256_sub_epi16(_mm256_sub_epi16(middle, g[2]), _mm256_slli_epi16(g[0], 2));
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
  constexpr int64_t kHalf = kPair * kTileBlock / 2;
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

void winograd_s8_input(const WinogradS8Input& tile) {
  int8_t copy[kWinogradPositions * kTileBlock];
  const WinogradPixelRows<int8_t> pixels = pixel_rows(tile.window, copy);
  __m256i columns[kSide][kSide];  // [column][row]
  NESTRT_UNROLL for (int x = 0; x < kSide; ++x) {
    __m256i d[kSide];
    NESTRT_UNROLL for (int y = 0; y < kSide; ++y) d[y] = _mm256_cvtepi8_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels.from + y * pixels.row + x * kTileBlock)));
    transform_input(d, columns[x]);
  }
  NESTRT_UNROLL for (int y = 0; y < kSide; ++y) {
    __m256i d[kSide], v[kSide];
    NESTRT_UNROLL for (int x = 0; x < kSide; ++x) d[x] = columns[x][y];
    transform_input(d, v);
    NESTRT_UNROLL for (int x = 0; x < kSide; ++x)
        store_steps(v[x], tile.steps, tile.step_stride, tile.to + (y * kSide + x) * tile.position_stride);
  }
}

void winograd_s8_multiply_six(const WinogradS8Product& product) { multiply_groups<kWinogradS8Group>(product); }

void winograd_s8_multiply_four(const WinogradS8Product& product) { multiply_groups<kWinogradS8SmallGroup>(product); }

void winograd_s8_output(const WinogradS8Output& tile) {
  constexpr int kLanes = 8;
  for (int lane = 0; lane < kTileBlock; lane += kLanes) {
    __m256i rows[kSide][kTile];  // read in storage order, with one address for all
    const int32_t* from = tile.from + lane;
    NESTRT_UNROLL for (int y = 0; y < kSide; ++y) {
      __m256i m[kSide];
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x, from += tile.step) m[x] = load(from);
      transform_output(m, rows[y]);
    }
    const __m256i start = load(tile.start + lane);
    NESTRT_UNROLL for (int x = 0; x < kTile; ++x) {
      __m256i m[kSide], v[kTile];
      NESTRT_UNROLL for (int y = 0; y < kSide; ++y) m[y] = rows[y][x];
      transform_output(m, v);
      NESTRT_UNROLL for (int y = 0; y < kTile; ++y) {
        const __m256i four = _mm256_mullo_epi32(v[y], _mm256_set1_epi32(kInverse225));
        store(_mm256_add_epi32(start, _mm256_srai_epi32(four, 2)), tile.to + y * tile.row + x * kTileBlock + lane);
      }
    }
  }
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
