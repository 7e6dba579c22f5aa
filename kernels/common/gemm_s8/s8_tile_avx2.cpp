// SPDX-License-Identifier: Apache-2.0
// The s8 tile with AVX2. If inputs may be negative, bytes are extended to words, whose products are added in pairs, so
// a vector of sums holds two partial sums for each of 4 outputs.
#include "kernels/common/gemm_s8/s8_tile.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include <cstring>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("avx2")
#include "kernels/common/gemm_s8/s8_word_tile-inl.h"

namespace nestrt::kernels {
namespace {

struct Four256 {
  __m256i v[4];
};

struct Avx2 {
  // Uses 8 registers for sums, 4 for weights, and one each for an input and a product; another point would exceed the
  // 16 registers.
  static constexpr int kBlocks = 1, kPoints = 2, kStep = 4, kTilePoints = 24;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kSupportsPairedMinima = true;
  using Weights = Four256;  // four outputs each
  using Input = __m256i;
  using Sums = Four256;

  static HWY_INLINE Weights load_weights(const int8_t* from) {
    Weights w;
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) {
      w.v[i] = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * 16)));
    }
    return w;
  }
  static HWY_INLINE Input load_input(const int8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return _mm256_cvtepi8_epi16(_mm_set1_epi32(bytes));
  }
  static HWY_INLINE void begin(Sums& sums, const int32_t*) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) sums.v[i] = _mm256_setzero_si256();
  }
  static HWY_INLINE void add(Sums& sums, const Input& x, const Weights& w) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) { sums.v[i] = _mm256_add_epi32(sums.v[i], _mm256_madd_epi16(x, w.v[i])); }
  }
  static HWY_INLINE void store(const Sums& sums, const int32_t* start, int32_t* to) {
    NESTRT_UNROLL for (int half = 0; half < 2; ++half, start += 8, to += 8) {
      // Adds adjacent pairs. The result interleaves the halves of the two vectors.
      const __m256i mixed = _mm256_hadd_epi32(sums.v[2 * half], sums.v[2 * half + 1]);
      const __m256i sum = _mm256_permute4x64_epi64(mixed, 0b11'01'10'00);
      const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_add_epi32(sum, from));
    }
  }
};

// For non-negative inputs.
struct Avx2Words {
  static constexpr int kPoints = 3, kVectors = 2;
  using Vector = __m256i;

  static HWY_INLINE Vector load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
  static HWY_INLINE void store(Vector v, void* to) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }
  static HWY_INLINE Vector broadcast(const int8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return _mm256_set1_epi32(bytes);
  }
  static HWY_INLINE Vector multiply(Vector x, Vector weights) { return _mm256_maddubs_epi16(x, weights); }
  static HWY_INLINE Vector add_words(Vector a, Vector b) { return _mm256_add_epi16(a, b); }
  static HWY_INLINE Vector widen(Vector words) { return _mm256_madd_epi16(words, _mm256_set1_epi16(1)); }
  static HWY_INLINE Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
};

void avx2_tile(const S8Tile& tile) {
  if (tile.chains != nullptr) return s8_word_tile<Avx2Words>(tile);
  s8_tile<Avx2>(tile);
}

consteval S8TileKernel avx2_kernel() {
  S8TileKernel kernel = s8_tile_kernel_of<Avx2>("avx2");
  kernel.limits.grain = 6;  // a multiple of the points of both tiles
  kernel.chains = &kS8X86Chains;
  kernel.run = &avx2_tile;
  return kernel;
}

}  // namespace

constinit const std::array<S8TileKernel, 1> kS8TileAvx2 = {avx2_kernel()};

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
