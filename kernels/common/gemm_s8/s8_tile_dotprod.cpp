// SPDX-License-Identifier: Apache-2.0
// The s8 tile with the dot products of Armv8.2.
#include "kernels/common/gemm_s8/s8_tile.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include <cstring>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("arch=armv8.2-a+dotprod")
#include "kernels/common/gemm_s8/s8_tile-inl.h"

namespace nestrt::kernels {
namespace {

struct Four128 {
  int32x4_t v[4];
};

struct Dotprod {
  static constexpr int kBlocks = 1, kPoints = 6, kStep = 4;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kSupportsPairedMinima = true;
  struct Weights {
    int8x16_t v[4];  // four bytes of four outputs each
  };
  using Input = int8x16_t;
  using Sums = Four128;

  static HWY_INLINE Weights load_weights(const int8_t* from) {
    Weights w;
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) w.v[i] = vld1q_s8(from + i * 16);
    return w;
  }
  static HWY_INLINE Input load_input(const int8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return vreinterpretq_s8_s32(vdupq_n_s32(bytes));
  }
  static HWY_INLINE void begin(Sums& sums, const int32_t*) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) sums.v[i] = vdupq_n_s32(0);
  }
  static HWY_INLINE void add(Sums& sums, const Input& x, const Weights& w) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) sums.v[i] = vdotq_s32(sums.v[i], w.v[i], x);
  }
  static HWY_INLINE void store(const Sums& sums, const int32_t* start, int32_t* to) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) { vst1q_s32(to + i * 4, vaddq_s32(vld1q_s32(start + i * 4), sums.v[i])); }
  }
};

}  // namespace

constinit const std::array<S8TileKernel, 1> kS8TileDotprod = {s8_tile_kernel_of<Dotprod>("neon dotprod")};

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
