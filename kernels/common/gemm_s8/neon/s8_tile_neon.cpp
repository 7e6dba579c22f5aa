// SPDX-License-Identifier: Apache-2.0
// The s8 tile with NEON byte multiplication, for cores without dot products (Cortex-A53). A vector of sums holds two
// partial sums for each of 2 outputs. Two products share a 16-bit sum before it is widened. 128 * 127 + 128 * 128 fits
// but 2 * 128 * 128 does not, so weights with paired -128 use a second form.
#include "kernels/common/gemm_s8/s8_tile.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include <cstring>

#include "kernels/common/gemm_s8/neon/s8_tile_neon_four.h"
#include "kernels/common/gemm_s8/neon/s8_tile_neon_short.h"
#include "kernels/common/gemm_s8/neon/s8_tile_neon_three.h"
#include "kernels/common/gemm_s8/s8_chains.h"
#include "kernels/common/gemm_s8/s8_tile-inl.h"

namespace nestrt::kernels {
namespace {

struct Eight128 {
  int32x4_t v[8];
};

template <bool kPairs>
struct Neon {
  static constexpr int kBlocks = 1, kPoints = 2, kStep = 8;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kSupportsPairedMinima = !kPairs;
  struct Weights {
    int8x16_t v[2][4];  // four bytes of four outputs each
  };
  struct Input {
    int8x16_t v[2];  // four bytes, repeated
  };
  using Sums = Eight128;

  static HWY_INLINE Weights load_weights(const int8_t* from) {
    Weights w;
    NESTRT_UNROLL for (int i = 0; i < 8; ++i) w.v[i / 4][i % 4] = vld1q_s8(from + i * 16);
    return w;
  }
  static HWY_INLINE Input load_input(const int8_t* from) {
    int32_t bytes[2];
    std::memcpy(bytes, from, sizeof bytes);
    return {{vreinterpretq_s8_s32(vdupq_n_s32(bytes[0])), vreinterpretq_s8_s32(vdupq_n_s32(bytes[1]))}};
  }
  static HWY_INLINE void begin(Sums& sums, const int32_t*) {
    NESTRT_UNROLL for (int i = 0; i < 8; ++i) sums.v[i] = vdupq_n_s32(0);
  }
  static HWY_INLINE void add(Sums& sums, const Input& x, const Weights& w) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) {
      int16x8_t low = vmull_s8(vget_low_s8(w.v[0][i]), vget_low_s8(x.v[0]));
      int16x8_t high = vmull_high_s8(w.v[0][i], x.v[0]);
      if constexpr (kPairs) {
        low = vmlal_s8(low, vget_low_s8(w.v[1][i]), vget_low_s8(x.v[1]));
        high = vmlal_high_s8(high, w.v[1][i], x.v[1]);
      } else {
        sums.v[2 * i] = vpadalq_s16(sums.v[2 * i], low);
        sums.v[2 * i + 1] = vpadalq_s16(sums.v[2 * i + 1], high);
        low = vmull_s8(vget_low_s8(w.v[1][i]), vget_low_s8(x.v[1]));
        high = vmull_high_s8(w.v[1][i], x.v[1]);
      }
      sums.v[2 * i] = vpadalq_s16(sums.v[2 * i], low);
      sums.v[2 * i + 1] = vpadalq_s16(sums.v[2 * i + 1], high);
    }
  }
  static HWY_INLINE void store(const Sums& sums, const int32_t* start, int32_t* to) {
    NESTRT_UNROLL for (int i = 0; i < 4; ++i) {
      vst1q_s32(to + i * 4, vaddq_s32(vld1q_s32(start + i * 4), vpaddq_s32(sums.v[2 * i], sums.v[2 * i + 1])));
    }
  }
};

// Handles empty reductions, because the assembly tiles always process at least one step.
void run_pairs(const S8Tile& tile) {
  if (tile.points < kMinChainPoints) return s8_tile<Neon<true>>(tile);
  if (is_short(tile)) return s8_tile_neon_short(tile);
  if (tile.chains != nullptr) return s8_tile_neon_three(tile);
  if (tile.length > 0 && tile.segments > 0 && tile.chunks > 0) return s8_tile_neon_four(tile);
  const int64_t outputs = tile.blocks * kTileBlock;
  for (int64_t p = 0; p < tile.points; ++p)
    std::memcpy(tile.sums + p * outputs, tile.start, static_cast<size_t>(outputs) * sizeof *tile.start);
}

consteval S8TileKernel pairs_kernel() {
  S8TileKernel kernel = s8_tile_kernel_of<Neon<true>>("neon");
  kernel.limits.points = 15;
  kernel.limits.grain = 3;
  kernel.chains = &kS8NeonChains;
  kernel.finishes = S8TileFinishes::kOfChains;
  kernel.run = &run_pairs;
  return kernel;
}

}  // namespace

constinit const std::array<S8TileKernel, 2> kS8TileNeon = {pairs_kernel(),
                                                           s8_tile_kernel_of<Neon<false>>("neon, any weights")};

}  // namespace nestrt::kernels
#endif
