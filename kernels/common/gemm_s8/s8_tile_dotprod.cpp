// SPDX-License-Identifier: Apache-2.0
// The s8 tile with the dot products of Armv8.2. A dot product selects four bytes of an input register by index, so one
// load serves four steps. Loading four bytes at a time with LD1R would occupy a vector pipe on a Cortex-A76.
#include "kernels/common/gemm_s8/s8_tile.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("arch=armv8.2-a+dotprod")
#include "kernels/common/gemm_s8/s8_tile-inl.h"

namespace nestrt::kernels {
namespace {

struct Four128 {
  int32x4_t v[4];
};

// Volatile assembly keeps the order of loads and products, because the compiler would load more weights ahead than fit
// in the registers.
HWY_INLINE void load_bytes(int8x16_t& to, const int8_t* from) {
  using Bytes = int8x16_t __attribute__((may_alias, aligned(1)));
  __asm__ volatile("ldr %q0, %1" : "=w"(to) : "m"(*reinterpret_cast<const Bytes*>(from)));
}

template <int kLane>
HWY_INLINE void add_products(int32x4_t& sum, const int8x16_t& w, const int8x16_t& x) {
  __asm__ volatile("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(sum) : "w"(w), "w"(x), "i"(kLane));
}

struct Dotprod {
  static constexpr int kBlocks = 1, kPoints = 6;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kSupportsPairedMinima = true;
  using Sums = Four128;

  static HWY_INLINE void begin(Sums& sums, const int32_t*) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) sums.v[i] = vdupq_n_s32(0);
  }
  // Adds the products of four outputs and four input bytes, vector kVector of the weights and following.
  template <int kVectors, int kVector, int kPoints>
  static HWY_INLINE void add_vectors(const int8x16_t (&x)[kPoints], const int8_t* weights, int8x16_t w,
                                     Sums (&sums)[kPoints][1]) {
    int8x16_t next;
    if constexpr (kVector + 1 < kVectors) load_bytes(next, weights + (kVector + 1) * 16);
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) add_products<kVector / 4>(sums[p][0].v[kVector % 4], w, x[p]);
    if constexpr (kVector + 1 < kVectors) add_vectors<kVectors, kVector + 1>(x, weights, next, sums);
  }
  template <int kPoints>
  static HWY_INLINE void add_segment(const int8_t* const* in, const int8_t* weights, int64_t length,
                                     Sums (&sums)[kPoints][1]) {
    int8x16_t w, x[kPoints];
    int64_t i = 0;
    for (; i + 16 <= length; i += 16, weights += 16 * kTileBlock) {
      load_bytes(w, weights);
      NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) load_bytes(x[p], in[p] + i);
      add_vectors<16, 0>(x, weights, w, sums);
    }
    if (i == length) return;
    static_assert(kS8Grain == 8);
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) x[p] = vcombine_s8(vld1_s8(in[p] + i), vdup_n_s8(0));
    load_bytes(w, weights);
    add_vectors<8, 0>(x, weights, w, sums);
  }
  static HWY_INLINE void store(const Sums& sums, const int32_t* start, int32_t* to) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) vst1q_s32(to + i * 4, vaddq_s32(vld1q_s32(start + i * 4), sums.v[i]));
  }
};

}  // namespace

constinit const std::array<S8TileKernel, 1> kS8TileDotprod = {s8_tile_kernel_of<Dotprod>("neon dotprod")};

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
