// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/layout/image_fold.h"
#include "kernels/common/quantization/quantize_rows.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/quantize/quantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantize/quantize_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using DF = hn::RebindToFloat<D32>;
using VF = hn::Vec<DF>;

#if HWY_TARGET == HWY_NEON
// Returns x * scale, rounded and limited to 32 bits. Conversions saturate and map NaN to 0. The product is exact except
// for underflow. With kFloor, a negative product that underflows to zero still counts as negative.
template <ops::Rounding kRounding>
HWY_INLINE int32x4_t rounded(const float* from, float scale) {
  const float32x4_t x = vld1q_f32(from), v = vmulq_n_f32(x, scale);
  if constexpr (kRounding == ops::Rounding::kHalfEven) return vcvtnq_s32_f32(v);
  const int32x4_t below = vcvtmq_s32_f32(v);
  if constexpr (kRounding == ops::Rounding::kFloor) {
    const uint32x4_t underflow = vandq_u32(vcltzq_f32(x), vceqzq_f32(v));
    return vqaddq_s32(below, vreinterpretq_s32_u32(underflow));
  } else {
    // The comparison is correct even if the difference is rounded, because differences below one half are exact.
    const uint32x4_t up = vcgeq_f32(vsubq_f32(v, vcvtq_f32_s32(below)), vdupq_n_f32(0.5F));
    return vqsubq_s32(below, vreinterpretq_s32_u32(up));
  }
}

template <ops::Rounding kRounding>
HWY_INLINE void quantize_block(const float* from, float scale, int8_t* to) {
  static_assert(s8::kLow == INT8_MIN && s8::kHigh == INT8_MAX, "what narrows limits to these");
  int32x4_t y[4];
  for (int i = 0; i < 4; ++i) y[i] = rounded<kRounding>(from + i * 4, scale);
  const int16x8_t first = vqmovn_high_s32(vqmovn_s32(y[0]), y[1]), second = vqmovn_high_s32(vqmovn_s32(y[2]), y[3]);
  vst1q_s8(to, vqmovn_high_s16(vqmovn_s16(first), second));
}
#else
// Returns x * scale, rounded, before the limits of s8 are applied. The product is exact except for underflow. With
// kFloor, a negative product that underflows to zero still counts as negative.
template <ops::Rounding kRounding>
HWY_INLINE V32 rounded(VF x, VF scale) {
  const DF d;
  const VF zero = hn::Zero(d), number = hn::IfThenElse(hn::Eq(x, x), x, zero);
  const VF v = hn::Min(hn::Max(hn::Mul(number, scale), hn::Set(d, s8::kLow - 1.0f)), hn::Set(d, s8::kHigh + 1.0f));
  if constexpr (kRounding == ops::Rounding::kHalfEven) return hn::NearestInt(v);
  const VF below = hn::Floor(v);
  if constexpr (kRounding == ops::Rounding::kFloor) {
    const auto underflow = hn::And(hn::Lt(number, zero), hn::Eq(v, zero));
    return hn::ConvertTo(D32(), hn::IfThenElse(underflow, hn::Set(d, -1.0f), below));
  } else {
    // The comparison is correct even if the difference is rounded, because differences below one half are exact.
    const auto up = hn::Ge(hn::Sub(v, below), hn::Set(d, 0.5f));
    return hn::ConvertTo(D32(), hn::Add(below, hn::IfThenElseZero(up, hn::Set(d, 1.0f))));
  }
}

template <ops::Rounding kRounding>
HWY_INLINE void quantize_block(const float* from, float scale, int8_t* to) {
  const VF factor = hn::Set(DF(), scale);
  for (int64_t i = 0; i < kBlock; i += kLanes)
    store_s8(rounded<kRounding>(hn::LoadU(DF(), from + i), factor), {}, to + i);
}
#endif

template <ops::Rounding kRounding>
HWY_INLINE void quantize_all(float scale, const float* x, int8_t* y, int64_t count) {
  const auto block = [scale](int8_t* to, const float* from) HWY_ATTR { quantize_block<kRounding>(from, scale, to); };
  map_blocks(count, block, y, x);
}

}  // namespace

void quantize_elements(ops::Rounding rounding, float scale, const float* x, int8_t* y, int64_t count) {
  using ops::Rounding;
  if (rounding == Rounding::kFloor) return quantize_all<Rounding::kFloor>(scale, x, y, count);
  if (rounding == Rounding::kHalfEven) return quantize_all<Rounding::kHalfEven>(scale, x, y, count);
  quantize_all<Rounding::kHalfUp>(scale, x, y, count);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(quantize_elements)

namespace {

Result<std::unique_ptr<Kernel>> prepare_to_scale(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine to, s8c::affine_of(spec.outputs[0], "the output"));
  return map_ranges<float, int8_t>(stored_elements(spec.inputs[0]),
                                   [to, run = quantize_rows().quantize](auto... operands) { run(to, operands...); });
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_quantize_simd(const OperatorSpec& spec) {
  if (s8c::has_scales(spec.outputs[0])) return prepare_to_scale(spec);
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  return map_ranges<float, int8_t>(
      stored_elements(spec.inputs[0]),
      [rounding = spec.as<ops::Quantize>()->rounding, scale = std::ldexp(1.0f, exponent),
       run = simd_pick(quantize_elements_table)](auto... operands) { run(rounding, scale, operands...); });
}

Result<std::unique_ptr<Kernel>> prepare_quantize_folded(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  ImageFold fold(spec.outputs[0]);
  const ScratchSize scratch = fold.scratch();
  return make_kernel(
      [fold = std::move(fold), width = spec.inputs[0].shape[3], rounding = spec.as<ops::Quantize>()->rounding,
       scale = std::ldexp(1.0f, exponent), quantize = simd_pick(quantize_elements_table)](const KernelCall& call) {
        const auto* const image = call.input<float>(0);
        fold.run(call, [&](int64_t row, int8_t* to) { quantize(rounding, scale, image + row * width, to, width); });
      },
      scratch);
}

}  // namespace nestrt::kernels
#endif
