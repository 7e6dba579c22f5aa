// SPDX-License-Identifier: Apache-2.0
// The activations of ops::ActivationKind on f32 vectors, as defined in kernels/common/math/activation.h. Include from a
// Highway source after hwy/highway.h.
//
//   with_activation(activation.kind, [&](auto kind) {          // once per call or per tile
//     ... y = activate<kind()>(d, y, Set(d, activation.alpha), Set(d, activation.beta)); ...
//   });
//   y = apply_activation(d, activation, y);                    // a switch per vector: for cold code
//   map_activation(activation, x, y, count);                   // a pass over memory
#if defined(NESTRT_KERNELS_COMMON_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTRT_KERNELS_COMMON_ACTIVATION_INL_H_
#undef NESTRT_KERNELS_COMMON_ACTIVATION_INL_H_
#else
#define NESTRT_KERNELS_COMMON_ACTIVATION_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/common/math/activation.h"
#include "kernels/common/math/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Uses comparisons, because the NaN behaviour of Min and Max depends on the instruction set.
template <class V>
HWY_INLINE V simd_clip(V x, V low, V high) {
  const V raised = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(raised, high), high, raised);
}

template <ops::ActivationKind kKind, class D, class V = hn::Vec<D>>
HWY_INLINE V activate(D d, V x, V alpha, V beta) {
  using Kind = ops::ActivationKind;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  (void)alpha, (void)beta, (void)zero, (void)one;
  if constexpr (kKind == Kind::kRelu) return hn::IfThenZeroElse(hn::Lt(x, zero), x);
  if constexpr (kKind == Kind::kClip) return simd_clip(x, alpha, beta);
  if constexpr (kKind == Kind::kLeakyRelu) return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(x, alpha), x);
  if constexpr (kKind == Kind::kHardSigmoid) return simd_clip(hn::MulAdd(x, alpha, beta), zero, one);
  if constexpr (kKind == Kind::kHardSwish) {
    return hn::Mul(x, simd_clip(hn::MulAdd(x, hn::Set(d, 1.0f / 6.0f), hn::Set(d, 0.5f)), zero, one));
  }
  if constexpr (kKind == Kind::kSigmoid) return simd_sigmoid(d, x);
  if constexpr (kKind == Kind::kTanh) return simd_tanh(d, x);
  if constexpr (kKind == Kind::kSilu) return hn::Mul(x, simd_sigmoid(d, x));
  return x;
}

template <ops::ActivationKind kKind>
struct ActivationConstant {
  constexpr ops::ActivationKind operator()() const { return kKind; }
};

// Calls body(ActivationConstant<kind>()), so that the kind is a compile-time constant in its loops.
template <class Body>
HWY_INLINE void with_activation(ops::ActivationKind kind, const Body& body) {
  using Kind = ops::ActivationKind;
  switch (kind) {
    case Kind::kNone:
      return body(ActivationConstant<Kind::kNone>());
    case Kind::kRelu:
      return body(ActivationConstant<Kind::kRelu>());
    case Kind::kClip:
      return body(ActivationConstant<Kind::kClip>());
    case Kind::kLeakyRelu:
      return body(ActivationConstant<Kind::kLeakyRelu>());
    case Kind::kHardSigmoid:
      return body(ActivationConstant<Kind::kHardSigmoid>());
    case Kind::kHardSwish:
      return body(ActivationConstant<Kind::kHardSwish>());
    case Kind::kSigmoid:
      return body(ActivationConstant<Kind::kSigmoid>());
    case Kind::kTanh:
      return body(ActivationConstant<Kind::kTanh>());
    case Kind::kSilu:
      return body(ActivationConstant<Kind::kSilu>());
  }
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V apply_activation(D d, const Activation& activation, V x) {
  const V alpha = hn::Set(d, activation.alpha), beta = hn::Set(d, activation.beta);
  V y = x;
  with_activation(activation.kind, [&](auto kind) HWY_ATTR { y = activate<kind()>(d, x, alpha, beta); });
  return y;
}

// y[i] = activation(x[i]); x and y may be the same. All lanes of a vector run the same code, so results do not depend
// on `count`. Not inline (map_activation_simd.cpp), because the code for all kinds is larger than most kernels.
void map_activation(const Activation& activation, const float* x, float* y, int64_t count);

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
