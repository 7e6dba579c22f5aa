// SPDX-License-Identifier: Apache-2.0
// The s8 tile with AVX-512 VNNI: vpdpbusd multiplies unsigned with signed bytes, so the sign bits of inputs are
// flipped, which adds 128.
#include "kernels/common/gemm_s8/s8_tile.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include <cstring>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#include "kernels/common/gemm_s8/s8_narrow_avx512-inl.h"
#include "kernels/common/gemm_s8/s8_tile-inl.h"

namespace nestrt::kernels {
namespace {

struct Vnni {
  static constexpr int kBlocks = 2, kPoints = 14, kStep = 4;
  static constexpr int32_t kInputOffset = 128;
  static constexpr bool kSupportsPairedMinima = true;
  using Weights = __m512i;
  using Input = __m512i;
  using Sums = __m512i;

  static HWY_INLINE Weights load_weights(const int8_t* from) { return _mm512_loadu_si512(from); }
  static HWY_INLINE Input load_input(const int8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return _mm512_xor_si512(_mm512_set1_epi32(bytes), _mm512_set1_epi32(static_cast<int32_t>(0x80808080)));
  }
  static HWY_INLINE void begin(Sums& sums, const int32_t* start) { sums = _mm512_loadu_si512(start); }
  static HWY_INLINE void add(Sums& sums, const Input& x, const Weights& w) { sums = _mm512_dpbusd_epi32(sums, x, w); }
  static HWY_INLINE void store(const Sums& sums, const int32_t*, int32_t* to) { _mm512_storeu_si512(to, sums); }

  static HWY_INLINE void prefetch(const int8_t* bytes) {
    _mm_prefetch(bytes, _MM_HINT_T0);
    _mm_prefetch(bytes + kS8PrefetchBytes / 2, _MM_HINT_T0);
  }

  static constexpr bool kFinishes = true;
  template <int kPoints, int kBlocks>
  static HWY_INLINE void finish(const Sums (&sums)[kPoints][kBlocks], const S8Tile& tile) {
    NESTRT_UNROLL for (int b = 0; b < kBlocks; ++b) {
      __m512i block[kPoints];
      NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) block[p] = sums[p][b];
      s8_narrow_block(block, *tile.finish, b);
    }
  }
};

// Returns whether each chunk is one segment of kTileBlock bytes and points are adjacent, like the pixels of a 1 x 1
// Conv.
bool is_contiguous(const S8Tile& tile) {
  if (tile.segments != 1 || tile.length != kTileBlock || tile.offsets[0] < 0) return false;
  int64_t mismatch = 0;
  for (int64_t p = 1; p < tile.points; ++p) mismatch |= tile.offsets[p] - tile.offsets[0] - p * kTileBlock;
  return mismatch == 0;
}

// Computes one block of outputs for adjacent points, whose addresses need no registers. (With two blocks, weight reuse
// hides the cost of addresses.) Uses assembly, because GCC 12 would copy sums around its intrinsic.
template <int kPoints>
HWY_NOINLINE void run_pixels(const S8Tile& tile) {
  __m512i sums[kPoints][1];
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) Vnni::begin(sums[p][0], tile.start);
  const int8_t* weights = tile.weights;
  const int8_t* input = tile.input + tile.offsets[0];
  for (int64_t chunk = 0; chunk < tile.chunks; ++chunk, input += tile.chunk_stride) {
    for (int64_t i = 0; i < kTileBlock; i += Vnni::kStep, weights += Vnni::kStep * kTileBlock) {
      const __m512i w = Vnni::load_weights(weights);
      NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
        const __m512i x = Vnni::load_input(input + p * kTileBlock + i);
        __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[p][0]) : "v"(x), "v"(w));
      }
    }
  }
  Vnni::finish(sums, tile);
}

template <int kPoints = Vnni::kPoints>
HWY_INLINE void with_pixels(const S8Tile& tile) {
  if constexpr (kPoints >= kMinFinishedPoints) {
    if (tile.points == kPoints) return run_pixels<kPoints>(tile);
    with_pixels<kPoints - 1>(tile);
  }
}

void vnni_tile(const S8Tile& tile) {
  if (tile.blocks == 1 && tile.finish != nullptr && is_contiguous(tile)) return with_pixels(tile);
  s8_tile<Vnni>(tile);
}

consteval S8TileKernel vnni_kernel() {
  S8TileKernel kernel = s8_tile_kernel_of<Vnni>("avx512vnni");
  kernel.run = &vnni_tile;
  return kernel;
}

}  // namespace

constinit const std::array<S8TileKernel, 1> kS8TileVnni = {vnni_kernel()};

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
