// SPDX-License-Identifier: Apache-2.0
// Mathematical functions on f32 vectors. Include from a Highway source (see kernels/common/simd/simd.h) after
// hwy/highway.h. All functions preserve NaN and return the mathematical limits at infinity.
//
// Unless stated otherwise, the polynomials come from Cephes (S. Moshier, single precision: expf.c, logf.c, tanhf.c,
// ndtrf.c, sinf.c, tanf.c, atanf.c, asinf.c) and are accurate to about 1e-7;
// test/kernels/common/math/activation_test.cpp compares each with double precision.
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

// Returns 2^n for integers n in [-126, 127].
template <class D, class VI>
HWY_INLINE hn::Vec<D> simd_power_of_two(D d, VI n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// Returns y * 2^n for integers n in [-150, 129], rounded once, so that results extend down to denormals and up to
// infinity.
#if HWY_TARGET == HWY_AVX3
HWY_INLINE hn::Vec512<float> simd_scale(hn::Vec512<float> y, hn::Vec512<float> n) {
  return hn::Vec512<float>{_mm512_scalef_ps(y.raw, n.raw)};
}
HWY_INLINE hn::Vec256<float> simd_scale(hn::Vec256<float> y, hn::Vec256<float> n) {
  return hn::Vec256<float>{_mm256_scalef_ps(y.raw, n.raw)};
}
template <size_t kLanes>
HWY_INLINE hn::Vec128<float, kLanes> simd_scale(hn::Vec128<float, kLanes> y, hn::Vec128<float, kLanes> n) {
  return hn::Vec128<float, kLanes>{_mm_scalef_ps(y.raw, n.raw)};
}
#endif

// Returns exp(x) - 1 for |x| <= ln(2) / 2.
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

// Returns exp(x) = 2^n exp(r), |r| <= ln(2) / 2. On targets without a scaling instruction, the factor 2^n is applied in
// two halves, so that results extend down to denormals and up to infinity.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_exp(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  // NaN is preserved, because Min and Max return their second operand if one is NaN.
  const V clamped = hn::Min(hn::Set(d, 89.0f), hn::Max(hn::Set(d, -104.0f), x));
  const V n = hn::Round(hn::Mul(clamped, hn::Set(d, 1.44269504088896341f)));
  const V r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(n, hn::Set(d, 0.693359375f), clamped));
  return simd_scale(hn::Add(simd_small_exp_minus_one(d, r), hn::Set(d, 1.0f)), n);
#else
  const V clamped = hn::Min(hn::Max(x, hn::Set(d, -104.0f)), hn::Set(d, 89.0f));
  const auto n = hn::NearestInt(hn::Mul(clamped, hn::Set(d, 1.44269504088896341f)));
  const V nf = hn::ConvertTo(d, n);
  const V r = hn::NegMulAdd(nf, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(nf, hn::Set(d, 0.693359375f), clamped));
  const V y = hn::Add(simd_small_exp_minus_one(d, r), hn::Set(d, 1.0f));
  const auto half = hn::ShiftRight<1>(n);
  const V scaled = hn::Mul(hn::Mul(y, simd_power_of_two(d, half)), simd_power_of_two(d, hn::Sub(n, half)));
  return hn::IfThenElse(hn::Eq(x, x), scaled, x);
#endif
}

// Returns exp(x) for x <= 0 or NaN. Results below the smallest normal number, 1e-38, are 0: they would not affect a sum
// that contains exp(0), and computing denormals is slow.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_exp_nonpositive(D d, V x) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128  // NearestInt is undefined out of range
  return simd_exp(d, x);
#elif HWY_TARGET == HWY_AVX3
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504088896341f)));
  const V r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x));
  const V y = hn::Add(simd_small_exp_minus_one(d, r), hn::Set(d, 1.0f));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3f)), simd_scale(y, n));
#else
  const auto n = hn::NearestInt(hn::Mul(x, hn::Set(d, 1.44269504088896341f)));
  const V nf = hn::ConvertTo(d, n);
  const V r = hn::NegMulAdd(nf, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(nf, hn::Set(d, 0.693359375f), x));
  const V y = hn::Add(simd_small_exp_minus_one(d, r), hn::Set(d, 1.0f));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3f)), hn::Mul(y, simd_power_of_two(d, n)));
#endif
}

// Returns exp(x) - 1. Near 0, where the subtraction would cancel, uses the polynomial.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_exp_minus_one(D d, V x) {
  const auto is_small = hn::Lt(hn::Abs(x), hn::Set(d, 0.34f));
  return hn::IfThenElse(is_small, simd_small_exp_minus_one(d, x), hn::Sub(simd_exp(d, x), hn::Set(d, 1.0f)));
}

// Returns 1 / (1 + e), or e / (1 + e) for negative x, with e = exp(-|x|).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = simd_exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// Returns tanh(x): an odd polynomial for |x| < 0.625, otherwise 1 - 2 / (exp(2 |x|) + 1) with the sign of x.
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

// Returns erf(x): an odd polynomial for |x| < 1, otherwise 1 - exp(x p(x)), where x p(x) is fitted to log(erfc(x))
// between 1 and 4. Beyond 4, erf rounds to 1.
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
  const V magnitude = hn::Abs(x), y = hn::Min(magnitude, hn::Set(d, 4.0f));
  V p = hn::Set(d, -1.0432313502e-5f);
  p = hn::MulAdd(p, y, hn::Set(d, 3.1485024374e-4f));
  p = hn::MulAdd(p, y, hn::Set(d, -3.6103106104e-3f));
  p = hn::MulAdd(p, y, hn::Set(d, 2.3694500327e-2f));
  p = hn::MulAdd(p, y, hn::Set(d, -1.0615897179e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, -6.3519805670e-1f));
  p = hn::MulAdd(p, y, hn::Set(d, -1.1286370754f));
  const V large = hn::CopySign(hn::Sub(one, simd_exp_nonpositive(d, hn::Mul(p, y))), x);
  const V result = hn::IfThenElse(hn::Lt(magnitude, one), small, large);
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

// Returns log(x). Requires: x > 0, finite and normal. x = 2^e m with m in [sqrt(1/2), sqrt(2)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_log_positive(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  // Subtracting the bits of sqrt(1/2) makes the exponent field relative to sqrt(1/2).
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

// Returns log(x) for any x: -infinity for zero and NaN for negative numbers. Denormals are first scaled by 2^25.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_log(D d, V x) {
  const V zero = hn::Zero(d), infinity = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7F800000u));
  const auto is_denormal = hn::Lt(x, hn::Set(d, 1.17549435e-38f));
  const V scaled = hn::IfThenElse(is_denormal, hn::Mul(x, hn::Set(d, 33554432.0f)), x);
  const V finite = hn::Sub(simd_log_positive(d, scaled), hn::IfThenElseZero(is_denormal, hn::Set(d, 17.3286795f)));
  const V positive = hn::IfThenElse(hn::Lt(x, infinity), finite, x);
  const V other = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::Sub(infinity, infinity));
  return hn::IfThenElse(hn::Gt(x, zero), positive, other);
}

// Returns log(1 + x) for x in [0, 1]; the last term corrects the rounding of 1 + x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_log1p_unit(D d, V x) {
  const V one = hn::Set(d, 1.0f), u = hn::Add(one, x);
  return hn::Add(simd_log_positive(d, u), hn::Div(hn::Sub(x, hn::Sub(u, one)), u));
}

// Splits x = n pi/2 + rest, |rest| <= pi/4, for |x| <= kMaxAngle. Each part of pi/2 has few bits, so products with n
// are exact.
constexpr float kMaxAngle = 8192.0f;
template <class D, class V = hn::Vec<D>>
HWY_INLINE V reduce_angle(D d, V x, hn::Vec<hn::RebindToSigned<D>>& n) {
  n = hn::NearestInt(hn::Mul(x, hn::Set(d, 0.636619772f)));
  const V nf = hn::ConvertTo(d, n);
  const V rest = hn::NegMulAdd(nf, hn::Set(d, 1.5703125f), x);
  return hn::NegMulAdd(nf, hn::Set(d, 7.54978995e-8f), hn::NegMulAdd(nf, hn::Set(d, 4.83751297e-4f), rest));
}

// Returns sin(x + quarters * pi/2): sin(x) for quarters = 0, cos(x) for 1. Requires: |x| <= kMaxAngle.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_sine(D d, V x, int quarters) {
  const hn::RebindToSigned<D> di;
  auto n = hn::Zero(di);
  const V r = reduce_angle(d, x, n), z = hn::Mul(r, r);
  n = hn::Add(n, hn::Set(di, quarters));
  V s = hn::MulAdd(hn::Set(d, -1.9515295891e-4f), z, hn::Set(d, 8.3321608736e-3f));
  s = hn::MulAdd(hn::Mul(hn::MulAdd(s, z, hn::Set(d, -1.6666654611e-1f)), z), r, r);
  V c = hn::MulAdd(hn::Set(d, 2.443315711809948e-5f), z, hn::Set(d, -1.388731625493765e-3f));
  c = hn::MulAdd(hn::MulAdd(c, z, hn::Set(d, 4.166664568298827e-2f)), hn::Mul(z, z), hn::Set(d, 1.0f));
  c = hn::NegMulAdd(hn::Set(d, 0.5f), z, c);
  const auto is_odd = hn::MaskFromVec(hn::BitCast(d, hn::Neg(hn::And(n, hn::Set(di, 1)))));
  const V sign = hn::BitCast(d, hn::ShiftLeft<30>(hn::And(n, hn::Set(di, 2))));
  return hn::Xor(hn::IfThenElse(is_odd, c, s), sign);
}

// Requires: |x| <= kMaxAngle.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_tan(D d, V x) {
  const hn::RebindToSigned<D> di;
  auto n = hn::Zero(di);
  const V r = reduce_angle(d, x, n), z = hn::Mul(r, r);
  V p = hn::MulAdd(hn::Set(d, 9.38540185543e-3f), z, hn::Set(d, 3.11992232697e-3f));
  p = hn::MulAdd(p, z, hn::Set(d, 2.44301354525e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 5.34112807005e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.33387994085e-1f));
  p = hn::MulAdd(p, z, hn::Set(d, 3.33331568548e-1f));
  const V tan = hn::MulAdd(hn::Mul(p, z), r, r);
  const auto is_odd = hn::MaskFromVec(hn::BitCast(d, hn::Neg(hn::And(n, hn::Set(di, 1)))));
  return hn::IfThenElse(is_odd, hn::Div(hn::Set(d, -1.0f), tan), tan);
}

// Reduces |x| below tan(pi/8).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_atan(D d, V x) {
  const V a = hn::Abs(x), one = hn::Set(d, 1.0f), zero = hn::Zero(d);
  const auto is_large = hn::Gt(a, hn::Set(d, 2.414213562f)), is_medium = hn::Gt(a, hn::Set(d, 0.414213562f));
  const V folded = hn::IfThenElse(is_medium, hn::Div(hn::Sub(a, one), hn::Add(a, one)), a);
  const V r = hn::IfThenElse(is_large, hn::Div(hn::Set(d, -1.0f), a), folded);
  const V base =
      hn::IfThenElse(is_large, hn::Set(d, 1.57079633f), hn::IfThenElse(is_medium, hn::Set(d, 0.785398163f), zero));
  const V z = hn::Mul(r, r);
  V p = hn::MulAdd(hn::Set(d, 8.05374449538e-2f), z, hn::Set(d, -1.38776856032e-1f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.99777106478e-1f));
  p = hn::MulAdd(p, z, hn::Set(d, -3.33329491539e-1f));
  return hn::CopySign(hn::Add(base, hn::MulAdd(hn::Mul(p, z), r, r)), x);
}

// Returns asin(root), with root = |x|, or sqrt((1 - |x|) / 2) above 0.5. NaN outside [-1, 1].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V half_asin(D d, V magnitude) {
  const V half = hn::Set(d, 0.5f);
  const auto is_large = hn::Gt(magnitude, half);
  const V z = hn::IfThenElse(is_large, hn::NegMulAdd(half, magnitude, half), hn::Mul(magnitude, magnitude));
  const V root = hn::IfThenElse(is_large, hn::Sqrt(z), magnitude);
  V p = hn::MulAdd(hn::Set(d, 4.2163199048e-2f), z, hn::Set(d, 2.4181311049e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 4.5470025998e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 7.4953002686e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.6666752422e-1f));
  return hn::MulAdd(hn::Mul(p, z), root, root);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_asin(D d, V x) {
  const V a = hn::Abs(x), r = half_asin(d, a);
  const V large = hn::Sub(hn::Set(d, 1.57079633f), hn::Add(r, r));
  return hn::CopySign(hn::IfThenElse(hn::Gt(a, hn::Set(d, 0.5f)), large, r), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_acos(D d, V x) {
  const V a = hn::Abs(x), r = half_asin(d, a), twice = hn::Add(r, r);
  const V large = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 3.14159265f), twice), twice);
  return hn::IfThenElse(hn::Gt(a, hn::Set(d, 0.5f)), large, hn::Sub(hn::Set(d, 1.57079633f), hn::CopySign(r, x)));
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
