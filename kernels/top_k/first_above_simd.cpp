// SPDX-License-Identifier: Apache-2.0
#include "kernels/top_k/first_above.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/top_k/first_above_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

int64_t first_above(const float* x, int64_t count, float sign, float bound) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto signs = hn::Set(d, sign), limit = hn::Set(d, sign * bound);
  int64_t i = 0;
  while (i + lanes <= count && hn::AllTrue(d, hn::Le(hn::Mul(signs, hn::LoadU(d, x + i)), limit))) i += lanes;
  while (i < count && sign * x[i] <= sign * bound) ++i;
  return i;
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(first_above)

FirstAboveFunction first_above_function() { return simd_pick(first_above_table); }

}  // namespace nestrt::kernels
#endif
