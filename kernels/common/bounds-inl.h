// The activations that are bounds on their input (none, relu, clip), which kernels apply on the way to memory, apart
// from the others, which take a pass of their own over what was stored: so that a kernel is compiled once, not per
// activation.
#if defined(NESTRT_KERNELS_COMMON_BOUNDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTRT_KERNELS_COMMON_BOUNDS_INL_H_
#undef NESTRT_KERNELS_COMMON_BOUNDS_INL_H_
#else
#define NESTRT_KERNELS_COMMON_BOUNDS_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/common/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Bounds {
  bool used;
  float low, high;
};

HWY_INLINE Bounds bounds_of(const Activation& activation) {
  constexpr float kInfinity = __builtin_inff();
  if (activation.kind == ops::ActivationKind::kRelu) return {true, 0.0f, kInfinity};
  if (activation.kind == ops::ActivationKind::kClip) return {true, activation.alpha, activation.beta};
  return {false, -kInfinity, kInfinity};
}

HWY_INLINE bool needs_pass(const Activation& activation) {
  return activation.kind != ops::ActivationKind::kNone && !bounds_of(activation).used;
}

// That pass, over `count` values; all lanes of a vector are computed alike, so its result does not depend on `count`.
template <class D>
HWY_INLINE void activate_stored(D d, const Activation& activation, float* values, int64_t count) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(apply_activation(d, activation, hn::LoadU(d, values + i)), d, values + i);
  if (i == count) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  for (int64_t k = i; k < count; ++k) rest[k - i] = values[k];
  hn::Store(apply_activation(d, activation, hn::Load(d, rest)), d, rest);
  for (int64_t k = i; k < count; ++k) values[k] = rest[k - i];
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
