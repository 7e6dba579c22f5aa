// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/dequantize/dequantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dequantize/dequantize_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

void dequantize_elements(const s8c::Affine& affine, const int8_t* x, float* y, int64_t count) {
  const hn::RebindToFloat<D32> d;
  const auto factor = hn::Set(d, affine.scale);
  const V32 zero = hn::Set(D32(), affine.zero_point);
  const auto dequantize_block = [&](float* to, const int8_t* from) HWY_ATTR {
    for (int64_t i = 0; i < kBlock; i += kLanes)
      hn::StoreU(hn::Mul(hn::ConvertTo(d, hn::Sub(load_s8(from + i), zero)), factor), d, to + i);
  };
  map_blocks(count, dequantize_block, y, x);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(dequantize_elements)

Result<std::unique_ptr<Kernel>> prepare_dequantize_simd(const OperatorSpec& spec) {
  s8c::Affine affine;  // an exponent is a scale without a zero point
  if (s8c::has_scales(spec.inputs[0])) {
    NESTRT_ASSIGN_OR_RETURN(affine, s8c::affine_of(spec.inputs[0], "the input"));
  } else {
    NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.inputs[0], "the input"));
    affine.scale = std::ldexp(1.0f, -exponent);
  }
  return map_ranges<int8_t, float>(
      stored_elements(spec.inputs[0]),
      [affine, run = simd_pick(dequantize_elements_table)](auto... operands) { run(affine, operands...); });
}

}  // namespace nestrt::kernels
#endif
