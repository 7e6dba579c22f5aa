// SPDX-License-Identifier: Apache-2.0
// Loads and stores of fewer elements than a vector holds. They access only the given elements. Include from a Highway
// source after hwy/highway.h.
#if defined(NESTRT_KERNELS_COMMON_PARTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTRT_KERNELS_COMMON_PARTIAL_INL_H_
#undef NESTRT_KERNELS_COMMON_PARTIAL_INL_H_
#else
#define NESTRT_KERNELS_COMMON_PARTIAL_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads `count` lanes from x and sets the others to `fill`. Requires: count is below the number of lanes.
template <class D>
HWY_INLINE hn::Vec<D> load_partial(D d, const float* x, int64_t count, float fill = 0) {
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(hn::Set(d, fill), d, lanes);
  for (int64_t i = 0; i < count; ++i) lanes[i] = x[i];
  return hn::Load(d, lanes);
}

template <class D>
HWY_INLINE void store_partial(D d, hn::Vec<D> v, float* y, int64_t count) {
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  for (int64_t i = 0; i < count; ++i) y[i] = lanes[i];
}

// y[i] = function(x[i]) for vectors of x; x and y may be the same.
template <class Function>
HWY_INLINE void transform(const float* x, float* y, int64_t count, const Function& function) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(function(hn::LoadU(d, x + i)), d, y + i);
  if (i < count) store_partial(d, function(load_partial(d, x + i, count - i)), y + i, count - i);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
