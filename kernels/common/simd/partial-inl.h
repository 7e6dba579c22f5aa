// SPDX-License-Identifier: Apache-2.0
// Loads and stores of fewer elements than a vector holds. They access only these elements. Include from a Highway
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

// Loads `count` lanes from x and sets the other lanes to `fill`. Requires: count is less than the number of lanes.
template <class D>
HWY_INLINE hn::Vec<D> load_partial(D d, const float* x, int64_t count, float fill = 0) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const auto given = hn::FirstN(d, static_cast<size_t>(count));
  return hn::IfThenElse(given, hn::MaskedLoad(given, d, x), hn::Set(d, fill));
#else
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(hn::Set(d, fill), d, lanes);
  for (int64_t i = 0; i < count; ++i) lanes[i] = x[i];
  return hn::Load(d, lanes);
#endif
}

template <class D>
HWY_INLINE void store_partial(D d, hn::Vec<D> v, float* y, int64_t count) {
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d, y);
#else  // masked stores of AVX2 take longer than a loop on some CPUs
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  for (int64_t i = 0; i < count; ++i) y[i] = lanes[i];
#endif
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
