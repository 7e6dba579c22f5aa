// SPDX-License-Identifier: Apache-2.0
// The s8 tile with AVX-512BW. If inputs may be negative, bytes are extended to words, whose products are added in
// pairs, so a vector of sums holds two partial sums for each of 8 outputs.
#include "kernels/common/gemm_s8/s8_tile.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include <cstring>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl")
#include "kernels/common/gemm_s8/s8_word_tile-inl.h"

namespace nestrt::kernels {
namespace {

struct Pair512 {
  __m512i v[2];
};

struct Avx512 {
  static constexpr int kBlocks = 2, kPoints = 6, kStep = 4, kTilePoints = 12;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kSupportsPairedMinima = true;
  using Weights = Pair512;  // outputs 0 to 7, 8 to 15
  using Input = __m512i;
  using Sums = Pair512;

  static HWY_INLINE __m256i load(const int8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static HWY_INLINE Weights load_weights(const int8_t* from) {
    return {{_mm512_cvtepi8_epi16(load(from)), _mm512_cvtepi8_epi16(load(from + 32))}};
  }
  static HWY_INLINE Input load_input(const int8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return _mm512_cvtepi8_epi16(_mm256_set1_epi32(bytes));
  }
  static HWY_INLINE void begin(Sums& sums, const int32_t*) { sums.v[0] = sums.v[1] = _mm512_setzero_si512(); }
  static HWY_INLINE void add(Sums& sums, const Input& x, const Weights& w) {
    sums.v[0] = _mm512_add_epi32(sums.v[0], _mm512_madd_epi16(x, w.v[0]));
    sums.v[1] = _mm512_add_epi32(sums.v[1], _mm512_madd_epi16(x, w.v[1]));
  }
  static HWY_INLINE void store(const Sums& sums, const int32_t* start, int32_t* to) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512i sum = _mm512_add_epi32(_mm512_permutex2var_epi32(sums.v[0], even, sums.v[1]),
                                         _mm512_permutex2var_epi32(sums.v[0], odd, sums.v[1]));
    _mm512_storeu_si512(to, _mm512_add_epi32(sum, _mm512_loadu_si512(start)));
  }
};

// For non-negative inputs.
struct Avx512Words {
  static constexpr int kPoints = 12, kVectors = 1;
  using Vector = __m512i;

  static HWY_INLINE Vector load(const void* from) { return _mm512_loadu_si512(from); }
  static HWY_INLINE void store(Vector v, void* to) { _mm512_storeu_si512(to, v); }
  static HWY_INLINE Vector broadcast(const int8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return _mm512_set1_epi32(bytes);
  }
  static HWY_INLINE Vector multiply(Vector x, Vector weights) { return _mm512_maddubs_epi16(x, weights); }
  static HWY_INLINE Vector add_words(Vector a, Vector b) { return _mm512_add_epi16(a, b); }
  static HWY_INLINE Vector widen(Vector words) { return _mm512_madd_epi16(words, _mm512_set1_epi16(1)); }
  static HWY_INLINE Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
};

void avx512_tile(const S8Tile& tile) {
  if (tile.chains != nullptr) return s8_word_tile<Avx512Words>(tile);
  s8_tile<Avx512>(tile);
}

consteval S8TileKernel avx512_kernel() {
  S8TileKernel kernel = s8_tile_kernel_of<Avx512>("avx512bw");
  kernel.limits.grain = 12;  // a multiple of the points of both tiles
  kernel.chains = &kS8X86Chains;
  kernel.run = &avx512_tile;
  return kernel;
}

}  // namespace

constinit const std::array<S8TileKernel, 1> kS8TileAvx512 = {avx512_kernel()};

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
