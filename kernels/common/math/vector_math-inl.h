// SPDX-License-Identifier: Apache-2.0
// Mathematical functions on f32 vectors. Include from a Highway source (see kernels/common/simd/simd.h) after
// hwy/highway.h. All functions preserve NaN and return the limits at infinity.
//
// The polynomials come from Cephes (S. Moshier, single precision: expf.c, logf.c, tanhf.c, ndtrf.c) and are accurate to
// about 1e-7; test/kernels/common/math/activation_test.cpp compares each with double precision.
#if defined(NESTRT_KERNELS_COMMON_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTRT_KERNELS_COMMON_VECTOR_MATH_INL_H_
#undef NESTRT_KERNELS_COMMON_VECTOR_MATH_INL_H_
#else
#define NESTRT_KERNELS_COMMON_VECTOR_MATH_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 2^n for integers n in [-126, 127].
template <class D, class VI>
HWY_INLINE hn::Vec<D> simd_power_of_two(D d, VI n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// exp(x) - 1 for |x| <= ln(2) / 2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_small_exp_minus_one(D d, V x) {
  V p = hn::Set(d, 1.9875691500e-4f);
  p = hn::MulAdd(p, x, hn::Set(d, 1.3981999507e-3f));
  p = hn::MulAdd(p, x, hn::Set(d, 8.3334519073e-3f));
  p = hn::MulAdd(p, x, hn::Set(d, 4.1665795894e-2f));
  p = hn::MulAdd(p, x, hn::Set(d, 1.6666665459e-1f));
  p = hn::MulAdd(p, x, hn::Set(d, 5.0000001201e-1f));
  return hn::MulAdd(p, hn::Mul(x, x), x);
}

// exp(x) = 2^n exp(r), |r| <= ln(2) / 2. The factor 2^n is applied in two halves, so that results extend down to
// denormals and up to infinity.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_exp(D d, V x) {
  const V clamped = hn::Min(hn::Max(x, hn::Set(d, -104.0f)), hn::Set(d, 89.0f));
  const auto n = hn::NearestInt(hn::Mul(clamped, hn::Set(d, 1.44269504088896341f)));
  const V nf = hn::ConvertTo(d, n);
  const V r = hn::NegMulAdd(nf, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(nf, hn::Set(d, 0.693359375f), clamped));
  const V y = hn::Add(simd_small_exp_minus_one(d, r), hn::Set(d, 1.0f));
  const auto half = hn::ShiftRight<1>(n);
  const V scaled = hn::Mul(hn::Mul(y, simd_power_of_two(d, half)), simd_power_of_two(d, hn::Sub(n, half)));
  return hn::IfThenElse(hn::Eq(x, x), scaled, x);
}

// Near exp(x) = 1 the subtraction would cancel.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_exp_minus_one(D d, V x) {
  const auto is_small = hn::Lt(hn::Abs(x), hn::Set(d, 0.34f));
  return hn::IfThenElse(is_small, simd_small_exp_minus_one(d, x), hn::Sub(simd_exp(d, x), hn::Set(d, 1.0f)));
}

// With e = exp(-|x|): 1 / (1 + e), or e / (1 + e) below zero.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = simd_exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// An odd polynomial below 0.625, 1 - 2 / (exp(2 |x|) + 1) above.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_tanh(D d, V x) {
  const V magnitude = hn::Abs(x);
  const V z = hn::Mul(x, x);
  V p = hn::Set(d, -5.70498872745e-3f);
  p = hn::MulAdd(p, z, hn::Set(d, 2.06390887954e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, -5.37397155531e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.33314422036e-1f));
  p = hn::MulAdd(p, z, hn::Set(d, -3.33332819422e-1f));
  const V small = hn::MulAdd(hn::Mul(p, z), x, x);
  const V one = hn::Set(d, 1.0f);
  const V e = simd_exp(d, hn::Add(magnitude, magnitude));
  const V large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(e, one)));
  return hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0.625f)), small, hn::CopySign(large, x));
}

// Below 1 an odd polynomial; above, 1 - exp(-x^2) p(1 / x^2) / x with the polynomial that Cephes uses for 1 < x < 2.
// Beyond 2, where erfc < 0.005, its relative error does not show in erf.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_erf(D d, V x) {
  const V z = hn::Mul(x, x);
  V t = hn::Set(d, 7.853861353153693e-5f);
  t = hn::MulAdd(t, z, hn::Set(d, -8.010193625184903e-4f));
  t = hn::MulAdd(t, z, hn::Set(d, 5.188327685732524e-3f));
  t = hn::MulAdd(t, z, hn::Set(d, -2.685381193529856e-2f));
  t = hn::MulAdd(t, z, hn::Set(d, 1.128358514861418e-1f));
  t = hn::MulAdd(t, z, hn::Set(d, -3.761262582423300e-1f));
  t = hn::MulAdd(t, z, hn::Set(d, 1.128379165726710f));
  const V small = hn::Mul(t, x);

  const V one = hn::Set(d, 1.0f);
  const V magnitude = hn::Abs(x);
  const V q = hn::Div(one, hn::Max(magnitude, one));
  const V y = hn::Mul(q, q);
  V p = hn::Set(d, 2.326819970068386e-2f);
  p = hn::MulAdd(p, y, hn::Set(d, -1.387039388740657e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, 3.687424674597105e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, -5.824733027278666e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, 6.210004621745983e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, -4.944515323274145e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, 3.404879937665872e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, -2.741127028184656e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, 5.638259427386472e-1f));
  const V complement = hn::Mul(hn::Mul(simd_exp(d, hn::Neg(z)), q), p);
  const V large = hn::CopySign(hn::Sub(one, complement), x);
  const V result = hn::IfThenElse(hn::Lt(magnitude, one), small, large);
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

// Returns log(x). Requires: x > 0, finite and normal. x = 2^e m with m in [sqrt(1/2), sqrt(2)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_log_positive(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  // Subtracting the bits of sqrt(1/2) makes the exponent field count from there.
  const auto offset = hn::Sub(bits, hn::Set(di, 0x3f3504f3));
  const auto e = hn::ShiftRight<23>(offset);
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(e)));
  const V ef = hn::ConvertTo(d, e);
  const V f = hn::Sub(m, hn::Set(d, 1.0f));
  const V z = hn::Mul(f, f);
  V p = hn::Set(d, 7.0376836292e-2f);
  p = hn::MulAdd(p, f, hn::Set(d, -1.1514610310e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.1676998740e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, -1.2420140846e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.4249322787e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, -1.6668057665e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.0000714765e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, -2.4999993993e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 3.3333331174e-1f));
  V y = hn::Mul(hn::Mul(p, f), z);
  y = hn::MulAdd(ef, hn::Set(d, -2.12194440e-4f), y);
  y = hn::NegMulAdd(hn::Set(d, 0.5f), z, y);
  return hn::MulAdd(ef, hn::Set(d, 0.693359375f), hn::Add(f, y));
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
