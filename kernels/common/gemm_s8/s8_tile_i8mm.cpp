// SPDX-License-Identifier: Apache-2.0
// The s8 tile with the matrix products of Armv8.6: one instruction multiplies eight bytes of two points with eight
// bytes of two outputs.
#include "kernels/common/gemm_s8/s8_tile.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("arch=armv8.2-a+dotprod+i8mm")
#include "kernels/common/gemm_s8/s8_tile-inl.h"

namespace nestrt::kernels {
namespace {

// Vectors of sums, each for two points by two outputs.
struct Eight128 {
  int32x4_t v[8];
};

// Volatile assembly keeps the order of loads and products; see s8_tile_dotprod.cpp.
HWY_INLINE void load_bytes(int8x16_t& to, const int8_t* from) {
  using Bytes = int8x16_t __attribute__((may_alias, aligned(1)));
  __asm__ volatile("ldr %q0, %1" : "=w"(to) : "m"(*reinterpret_cast<const Bytes*>(from)));
}

HWY_INLINE void add_matrix(int32x4_t& sum, const int8x16_t& x, const int8x16_t& w) {
  __asm__ volatile("smmla %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(x), "w"(w));
}

// Loads 16 bytes of each of two points. low: the first eight bytes of both; high: the last eight.
HWY_INLINE void load_pair(int8x16_t& low, int8x16_t& high, const int8_t* first, const int8_t* second) {
  load_bytes(low, first);
  load_bytes(high, second);
  int8x16_t both;
  __asm__ volatile("zip1 %0.2d, %1.2d, %2.2d" : "=w"(both) : "w"(low), "w"(high));
  __asm__ volatile("zip2 %0.2d, %1.2d, %0.2d" : "+w"(high) : "w"(low));
  low = both;
}

// kPaired: the weights were reordered when the kernel was prepared. Otherwise they are computed during the run, and the
// tile reorders them, which takes a fifth of its time.
template <bool kPaired>
struct I8mm {
  static constexpr int kBlocks = 1, kPoints = 6, kRows = 2;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kSupportsPairedMinima = true, kPairsWeights = kPaired;
  using Sums = Eight128;

  static HWY_INLINE void begin(Sums& sums, const int32_t*) {
    NESTRT_UNROLL for (int i = 0; i < 8; ++i) sums.v[i] = vdupq_n_s32(0);
  }
  template <int kGroups>
  static HWY_INLINE void add_octet(const int8x16_t (&x)[kGroups], const int8_t* weights, Sums (&sums)[kGroups][1]) {
    NESTRT_UNROLL for (int i = 0; i < 8; i += 2) {
      int8x16_t w[2];
      if constexpr (kPaired) {
        NESTRT_UNROLL for (int k = 0; k < 2; ++k) load_bytes(w[k], weights + (i + k) * 16);
      } else {
        const int32x4_t low = vreinterpretq_s32_s8(vld1q_s8(weights + i * 8));
        const int32x4_t high = vreinterpretq_s32_s8(vld1q_s8(weights + i * 8 + 4 * kTileBlock));
        w[0] = vreinterpretq_s8_s32(vzip1q_s32(low, high));
        w[1] = vreinterpretq_s8_s32(vzip2q_s32(low, high));
      }
      NESTRT_UNROLL for (int k = 0; k < 2; ++k) {
        NESTRT_UNROLL for (int g = 0; g < kGroups; ++g) add_matrix(sums[g][0].v[i + k], x[g], w[k]);
      }
    }
  }
  template <int kGroups>
  static HWY_INLINE void add_segment(const int8_t* const* in, const int8_t* weights, int64_t length,
                                     Sums (&sums)[kGroups][1]) {
    int64_t i = 0;
    for (; i + 16 <= length; i += 16, weights += 16 * kTileBlock) {
      int8x16_t low[kGroups], high[kGroups];
      NESTRT_UNROLL for (int g = 0; g < kGroups; ++g) load_pair(low[g], high[g], in[2 * g] + i, in[2 * g + 1] + i);
      add_octet(low, weights, sums);
      add_octet(high, weights + 8 * kTileBlock, sums);
    }
    if (i == length) return;
    static_assert(kS8Grain == 8);
    int8x16_t x[kGroups];
    NESTRT_UNROLL for (int g = 0; g < kGroups; ++g) x[g] =
        vcombine_s8(vld1_s8(in[2 * g] + i), vld1_s8(in[2 * g + 1] + i));
    add_octet(x, weights, sums);
  }
  static HWY_INLINE void store(const Sums& sums, const int32_t* start, int rows, int32_t* to) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) {
      const int64x2_t a = vreinterpretq_s64_s32(sums.v[2 * i]), b = vreinterpretq_s64_s32(sums.v[2 * i + 1]);
      const int32x4_t first = vreinterpretq_s32_s64(vuzp1q_s64(a, b)), from = vld1q_s32(start + i * 4);
      vst1q_s32(to + i * 4, vaddq_s32(from, first));
      if (rows == 1) continue;
      const int32x4_t second = vreinterpretq_s32_s64(vuzp2q_s64(a, b));
      vst1q_s32(to + kTileBlock + i * 4, vaddq_s32(from, second));
    }
  }
};

}  // namespace

constinit const std::array<S8TileKernel, 2> kS8TileI8mm = {s8_tile_kernel_of<I8mm<true>>("neon i8mm"),
                                                           s8_tile_kernel_of<I8mm<false>>("neon i8mm unpaired")};

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
