// SPDX-License-Identifier: Apache-2.0
#include "hwy/detect_targets.h"

#if HWY_ARCH_ARM_A64
#include <arm_neon.h>

#include "kernels/conv/winograd/winograd_s8_transforms-inl.h"

namespace nestrt::kernels {
namespace {

struct Words {
  static constexpr int kLanes = 8;
  using Vector = int16x8_t;

  static HWY_INLINE Vector load(const int8_t* from) { return vmovl_s8(vld1_s8(from)); }
  static HWY_INLINE void store(Vector v, int16_t* const (&to)[2], int64_t at) {
    vst1_s16(to[1] + at, vget_high_s16(v));
    vst1_s16(to[0] + at, vget_low_s16(v));
  }
  static HWY_INLINE Vector add(Vector a, Vector b) { return vaddq_s16(a, b); }
  static HWY_INLINE Vector sub(Vector a, Vector b) { return vsubq_s16(a, b); }
  template <int k>
  static HWY_INLINE Vector plus(Vector y, Vector x) {
    return vmlaq_n_s16(y, x, k);
  }
  template <int k>
  static HWY_INLINE Vector minus(Vector y, Vector x) {
    return vmlsq_n_s16(y, x, k);
  }
};

struct Sums {
  static constexpr int kLanes = 4;
  using Vector = uint32x4_t;

  static HWY_INLINE Vector load(const int32_t* from) { return vreinterpretq_u32_s32(vld1q_s32(from)); }
  static HWY_INLINE void store(Vector v, int32_t* to) { vst1q_s32(to, vreinterpretq_s32_u32(v)); }
  static HWY_INLINE Vector add(Vector a, Vector b) { return vaddq_u32(a, b); }
  static HWY_INLINE Vector sub(Vector a, Vector b) { return vsubq_u32(a, b); }
  template <uint32_t k>
  static HWY_INLINE Vector plus(Vector y, Vector x) {
    return vmlaq_n_u32(y, x, k);
  }
  template <uint32_t k>
  static HWY_INLINE Vector minus(Vector y, Vector x) {
    return vmlsq_n_u32(y, x, k);
  }
  static HWY_INLINE Vector divide(Vector v) {
    return vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(vmulq_n_u32(v, kInverse225)), 2));
  }
};

}  // namespace

void winograd_s8_input(const WinogradS8Input& tile) { transform_tile<Words>(tile); }

void winograd_s8_output(const WinogradS8Output& tile) { transform_products<Sums>(tile); }

}  // namespace nestrt::kernels
#endif
