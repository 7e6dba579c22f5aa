// SPDX-License-Identifier: Apache-2.0
// f32 pow, mod and fmod.
#include <algorithm>
#include <cmath>

#include "kernels/binary/binary.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/broadcast_runs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/binary_functions_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/activation-inl.h"
#include "kernels/common/math/vector_math-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

constexpr int64_t kFunctionChunk = 256;

// A vector of as many f32 lanes as a full vector has f64 lanes.
using D64 = hn::ScalableTag<double>;
using D32 = hn::Rebind<float, D64>;
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;

// Returns log(x) in double precision, accurate to about 1e-11, or -infinity for zero. Requires: x is finite and not
// negative. With x = 2^e m, log(m) = 2 atanh((m - 1) / (m + 1)).
HWY_INLINE V64 precise_log(V32 x) {
  const D64 d64;
  const D32 d;
  const hn::RebindToSigned<D32> di;
  const auto is_denormal = hn::Lt(x, hn::Set(d, 1.17549435e-38f));
  const auto bits = hn::BitCast(di, hn::IfThenElse(is_denormal, hn::Mul(x, hn::Set(d, 33554432.0f)), x));
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const V64 m = hn::PromoteTo(d64, hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))));
  const V32 e = hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(is_denormal, hn::Set(d, 25.0f)));
  const V64 one = hn::Set(d64, 1.0);
  const V64 f = hn::Div(hn::Sub(m, one), hn::Add(m, one)), z = hn::Mul(f, f);
  V64 p = hn::MulAdd(z, hn::Set(d64, 2.0 / 13), hn::Set(d64, 2.0 / 11));
  p = hn::MulAdd(p, z, hn::Set(d64, 2.0 / 9));
  p = hn::MulAdd(p, z, hn::Set(d64, 2.0 / 7));
  p = hn::MulAdd(p, z, hn::Set(d64, 2.0 / 5));
  p = hn::MulAdd(p, z, hn::Set(d64, 2.0 / 3));
  p = hn::MulAdd(p, z, hn::Set(d64, 2.0));
  const V64 log = hn::MulAdd(hn::PromoteTo(d64, e), hn::Set(d64, 0.693147180559945309), hn::Mul(p, f));
  const V64 infinity = hn::PromoteTo(d64, hn::BitCast(d, hn::Set(di, 0x7F800000)));
  const auto is_zero = hn::Eq(hn::PromoteTo(d64, x), hn::Zero(d64));
  return hn::IfThenElse(is_zero, hn::Neg(infinity), log);
}

// Returns exp(t) as f32. Clamps t to a range outside which the result is 0 or infinite.
HWY_INLINE V32 rounded_exp(V64 t) {
  const D64 d64;
  const D32 d;
  const V64 clamped = hn::Min(hn::Max(t, hn::Set(d64, -104.0)), hn::Set(d64, 89.0));
  const V64 n = hn::Round(hn::Mul(clamped, hn::Set(d64, 1.44269504088896341)));
  const V32 r = hn::DemoteTo(d, hn::NegMulAdd(n, hn::Set(d64, 0.693147180559945309), clamped));
  const auto whole = hn::NearestInt(hn::DemoteTo(d, n)), half = hn::ShiftRight<1>(whole);
  const V32 y = hn::Add(simd_small_exp_minus_one(d, r), hn::Set(d, 1.0f));
  return hn::Mul(hn::Mul(y, simd_power_of_two(d, half)), simd_power_of_two(d, hn::Sub(whole, half)));
}

// Lanes with a negative or non-finite base, or a non-finite exponent, use the scalar function.
HWY_INLINE V32 power(V32 x, V32 y) {
  const D64 d64;
  const D32 d;
  const hn::RebindToSigned<D32> di;
  const auto bits = hn::BitCast(di, x), infinity = hn::Set(di, 0x7F800000);
  const auto usable = hn::And(hn::RebindMask(d, hn::And(hn::Gt(bits, hn::Set(di, -1)), hn::Lt(bits, infinity))),
                              hn::Lt(hn::Abs(y), hn::BitCast(d, infinity)));
  const V32 fast = hn::IfThenElse(hn::Eq(y, hn::Zero(d)), hn::Set(d, 1.0f),
                                  rounded_exp(hn::Mul(hn::PromoteTo(d64, y), precise_log(x))));
  if (HWY_LIKELY(hn::AllTrue(d, usable))) return fast;
  HWY_ALIGN float base[hn::MaxLanes(d)], exponent[hn::MaxLanes(d)], result[hn::MaxLanes(d)];
  hn::Store(x, d, base);
  hn::Store(y, d, exponent);
  hn::Store(fast, d, result);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(base[i] >= 0 && base[i] < HUGE_VALF && !std::signbit(base[i]) && std::abs(exponent[i]) < HUGE_VALF))
      result[i] = ::powf(base[i], exponent[i]);
  return hn::Load(d, result);
}

// Returns the remainder of x / y, with the sign of y if `is_mod`, otherwise of x. The f64 quotient is exact enough
// below 2^28; lanes with larger, infinite or NaN quotients use the scalar function.
HWY_INLINE V32 remainder(V32 x, V32 y, bool is_mod) {
  const D64 d64;
  const D32 d;
  const V64 wide_x = hn::PromoteTo(d64, x), wide_y = hn::PromoteTo(d64, y);
  const V64 quotient = hn::Trunc(hn::Div(wide_x, wide_y));
  // If the quotient is 0, the remainder is x, even if y is infinite.
  const V64 rest = hn::IfThenElse(hn::Eq(quotient, hn::Zero(d64)), wide_x, hn::NegMulAdd(quotient, wide_y, wide_x));
  V32 fast = hn::CopySign(hn::DemoteTo(d, rest), x);
  if (is_mod) {
    const V32 zero = hn::Zero(d);
    const auto differs = hn::Xor(hn::Lt(fast, zero), hn::Lt(y, zero));
    fast = hn::IfThenElse(hn::AndNot(hn::Eq(fast, zero), differs), hn::Add(fast, y), fast);
  }
  if (HWY_LIKELY(hn::AllTrue(d64, hn::Lt(hn::Abs(quotient), hn::Set(d64, 268435456.0))))) return fast;
  HWY_ALIGN float dividend[hn::MaxLanes(d)], divisor[hn::MaxLanes(d)], result[hn::MaxLanes(d)];
  HWY_ALIGN double quotients[hn::MaxLanes(d)];
  hn::Store(x, d, dividend);
  hn::Store(y, d, divisor);
  hn::Store(fast, d, result);
  hn::Store(quotient, d64, quotients);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (std::abs(quotients[i]) < 268435456.0) continue;
    result[i] = ::fmodf(dividend[i], divisor[i]);
    if (is_mod && result[i] != 0 && (result[i] < 0) != (divisor[i] < 0)) result[i] += divisor[i];
  }
  return hn::Load(d, result);
}

// y = x^exponent for an exponent that has_short_form(). Adding 0 turns -0 into 0, so that the root has the same sign as
// pow.
void short_power(float exponent, const float* x, float* y, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f), lowest = hn::Set(d, -HUGE_VALF);
  const auto map = [&](const auto& function) HWY_ATTR { transform(x, y, count, function); };
  if (exponent == 2.0f) return map([](auto v) HWY_ATTR { return hn::Mul(v, v); });
  if (exponent == 3.0f) return map([](auto v) HWY_ATTR { return hn::Mul(hn::Mul(v, v), v); });
  if (exponent == -1.0f) return map([&](auto v) HWY_ATTR { return hn::Div(one, v); });
  if (exponent == 0.5f)
    return map([&](auto v)
                   HWY_ATTR { return hn::IfThenElse(hn::Eq(v, lowest), hn::Neg(lowest), hn::Sqrt(hn::Add(v, zero))); });
  map([&](auto v) HWY_ATTR { return hn::IfThenZeroElse(hn::Eq(v, lowest), hn::Div(one, hn::Sqrt(hn::Add(v, zero)))); });
}

// y = function(a, b), computed in f64.
template <class Function>
HWY_INLINE void map_pairs(const float* a, const float* b, float* y, int64_t count, const Function& function) {
  const D32 d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(function(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  if (i == count) return;
  const auto tail = function(load_partial(d, a + i, count - i, 1), load_partial(d, b + i, count - i, 1));
  store_partial(d, tail, y + i, count - i);
}

}  // namespace

// Computes a run of pow, mod or fmod. `exponent`: the constant exponent if it has a short form, otherwise 0.
void function_run(ops::BinaryKind kind, float exponent, const Activation& activation, const BroadcastRun<2>& run,
                  float* y) {
  using Kind = ops::BinaryKind;
  const ChunkedOperand<float, kFunctionChunk> a(run.from[0], run.steps[0], run.length);
  const ChunkedOperand<float, kFunctionChunk> b(run.from[1], run.steps[1], run.length);
  for (int64_t first = 0; first < run.length; first += kFunctionChunk) {
    const int64_t count = HWY_MIN(kFunctionChunk, run.length - first);
    float* const to = y + first;
    const auto map = [&](const auto& function) HWY_ATTR { map_pairs(a.at(first), b.at(first), to, count, function); };
    if (exponent != 0)
      short_power(exponent, a.at(first), to, count);
    else if (kind == Kind::kPow)
      map([](V32 u, V32 v) HWY_ATTR { return power(u, v); });
    else
      map([&](V32 u, V32 v) HWY_ATTR { return remainder(u, v, kind == Kind::kMod); });
    if (activation.kind != ops::ActivationKind::kNone) map_activation(activation, to, to, count);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(function_run)

namespace {

bool has_short_form(float exponent) {
  return exponent == 2.0f || exponent == 3.0f || exponent == -1.0f || exponent == 0.5f || exponent == -0.5f;
}

// Returns the constant exponent of a pow if it has a short form, otherwise 0.
float short_exponent(const OperatorSpec& spec) {
  const TensorSpec& exponents = spec.inputs[1];
  if (spec.as<ops::Binary>()->kind != ops::BinaryKind::kPow || exponents.constant == nullptr ||
      exponents.shape.num_elements() != 1)
    return 0;
  const float exponent = *reinterpret_cast<const float*>(exponents.constant);
  return has_short_form(exponent) ? exponent : 0;
}

}  // namespace

bool accepts_binary_functions(const OperatorSpec& spec) {
  using Kind = ops::BinaryKind;
  const Kind kind = spec.as<ops::Binary>()->kind;
  return is_plain(spec) && spec.inputs[0].type == DataType::kF32 &&
         (kind == Kind::kPow || kind == Kind::kMod || kind == Kind::kFmod);
}

Result<std::unique_ptr<Kernel>> prepare_binary_functions(const OperatorSpec& spec) {
  const Shape& shape = spec.outputs[0].shape;
  const auto loop = make_broadcast_loop<2>(shape, {&spec.inputs[0].shape, &spec.inputs[1].shape});
  return make_kernel([loop, count = shape.num_elements(), compute = simd_pick(function_run_table),
                      exponent = short_exponent(spec), kind = spec.as<ops::Binary>()->kind,
                      activation = spec.as<ops::Binary>()->activation](const KernelCall& call) {
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for_each_long_run<2>(loop, {call.inputs[0], call.inputs[1]}, {sizeof(float), sizeof(float)}, first, last,
                           [&](const BroadcastRun<2>& run) {
                             compute(kind, exponent, activation, run, call.output<float>(0) + run.out);
                           });
    });
  });
}

}  // namespace nestrt::kernels
#endif
