// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/common/framework/map_elements.h"
#include "kernels/unary/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary/unary_functions_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/vector_math-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using UnaryKind = ops::UnaryKind;

// Applies the scalar function to lanes whose angle is too large for the vector functions.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V with_large_angles(D d, V x, V y, float (*function)(float)) {
  const auto is_small = hn::Le(hn::Abs(x), hn::Set(d, kMaxAngle));
  if (HWY_LIKELY(hn::AllTrue(d, is_small))) return y;
  HWY_ALIGN float from[hn::MaxLanes(D())], to[hn::MaxLanes(D())];
  hn::Store(x, d, from);
  hn::Store(y, d, to);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::abs(from[i]) <= kMaxAngle)) to[i] = function(from[i]);
  return hn::Load(d, to);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V x) {
  const V positive = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x);
  return hn::Add(positive, simd_log1p_unit(d, simd_exp(d, hn::Neg(hn::Abs(x)))));
}

// x tanh(log(1 + e)) with e = exp(x), which is x n / (n + 2) with n = e (e + 2). Beyond 20 the quotient rounds to 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V mish(D d, V x) {
  const V two = hn::Set(d, 2.0f), e = simd_exp(d, x), n = hn::Mul(e, hn::Add(e, two));
  const V y = hn::Mul(x, hn::Div(n, hn::Add(n, two)));
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, 20.0f)), x, y);
}

}  // namespace

// Requires: has_vector_function(kind).
void map_function(UnaryKind kind, float alpha, const float* x, float* y, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, alpha), zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto map = [&](const auto& function) HWY_ATTR { transform(x, y, count, function); };
  switch (kind) {
    case UnaryKind::kLog:
      return map([&](auto v) HWY_ATTR { return simd_log(d, v); });
    case UnaryKind::kSin:
      return map([&](auto v) HWY_ATTR { return with_large_angles(d, v, simd_sine(d, v, 0), ::sinf); });
    case UnaryKind::kCos:
      return map([&](auto v) HWY_ATTR { return with_large_angles(d, v, simd_sine(d, v, 1), ::cosf); });
    case UnaryKind::kTan:
      return map([&](auto v) HWY_ATTR { return with_large_angles(d, v, simd_tan(d, v), ::tanf); });
    case UnaryKind::kAsin:
      return map([&](auto v) HWY_ATTR { return simd_asin(d, v); });
    case UnaryKind::kAcos:
      return map([&](auto v) HWY_ATTR { return simd_acos(d, v); });
    case UnaryKind::kAtan:
      return map([&](auto v) HWY_ATTR { return simd_atan(d, v); });
    case UnaryKind::kSoftplus:
      return map([&](auto v) HWY_ATTR { return softplus(d, v); });
    case UnaryKind::kMish:
      return map([&](auto v) HWY_ATTR { return mish(d, v); });
    case UnaryKind::kSoftsign:
      return map([&](auto v) HWY_ATTR { return hn::Div(v, hn::Add(one, hn::Abs(v))); });
    case UnaryKind::kCelu:
      return map([&](auto v) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(v, zero), hn::Mul(a, simd_exp_minus_one(d, hn::Div(v, a))), v);
      });
    default:
      return;
  }
}

// The loops below use no intrinsics, because the compiler vectorizes them.

// y = 1 if the bits of |x| are in [low, high] and the sign of x is one of the selected signs.
void test_bits(uint32_t low, uint32_t high, bool positive, bool negative, const float* x, uint8_t* y, int64_t count) {
  const auto* const bits = reinterpret_cast<const uint32_t*>(x);
  const uint32_t spread = high - low, plus = positive ? 1 : 0, minus = negative ? 1 : 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t is_inside = (bits[i] & 0x7FFFFFFFu) - low <= spread ? 1 : 0, sign = bits[i] >> 31;
    y[i] = static_cast<uint8_t>(is_inside & ((sign & minus) | ((sign ^ 1) & plus)));
  }
}

void test_zero(const uint8_t* x, uint8_t* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] == 0 ? 1 : 0;
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(map_function)
NESTRT_SIMD_EXPORT(test_bits)
NESTRT_SIMD_EXPORT(test_zero)

namespace {

using Kind = ops::UnaryKind;

bool has_vector_function(Kind kind) {
  switch (kind) {
    case Kind::kLog:
    case Kind::kSin:
    case Kind::kCos:
    case Kind::kTan:
    case Kind::kAsin:
    case Kind::kAcos:
    case Kind::kAtan:
    case Kind::kSoftplus:
    case Kind::kMish:
    case Kind::kSoftsign:
    case Kind::kCelu:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool accepts_unary_functions(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kF32 && is_stored_map(spec) &&
         has_vector_function(spec.as<ops::Unary>()->kind);
}

Result<std::unique_ptr<Kernel>> prepare_unary_functions(const OperatorSpec& spec) {
  const ops::Unary& attributes = *spec.as<ops::Unary>();
  return map_ranges<float, float>(stored_elements(spec.inputs[0]),
                                  [run = simd_pick(map_function_table), kind = attributes.kind,
                                   alpha = attributes.alpha](auto... operands) { run(kind, alpha, operands...); });
}

bool accepts_unary_tests(const OperatorSpec& spec) {
  const Kind kind = spec.as<ops::Unary>()->kind;
  return is_stored_map(spec) && (kind == Kind::kIsNan || kind == Kind::kIsInf || kind == Kind::kLogicalNot);
}

Result<std::unique_ptr<Kernel>> prepare_unary_tests(const OperatorSpec& spec) {
  constexpr uint32_t kInfinity = 0x7F800000u;
  const ops::Unary& attributes = *spec.as<ops::Unary>();
  const int64_t count = stored_elements(spec.inputs[0]);
  if (attributes.kind == Kind::kLogicalNot) return map_ranges<uint8_t, uint8_t>(count, simd_pick(test_zero_table));
  const auto run = simd_pick(test_bits_table);
  if (attributes.kind == Kind::kIsNan)
    return map_ranges<float, uint8_t>(
        count, [run](auto... operands) { run(kInfinity + 1, 0x7FFFFFFFu, true, true, operands...); });
  return map_ranges<float, uint8_t>(
      count, [run, positive = attributes.beta != 0, negative = attributes.alpha != 0](auto... operands) {
        run(kInfinity, kInfinity, positive, negative, operands...);
      });
}

}  // namespace nestrt::kernels
#endif
