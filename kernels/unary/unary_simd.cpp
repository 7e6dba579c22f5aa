// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/unary/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary/unary_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/activation-inl.h"
#include "kernels/common/math/vector_math-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using UnaryKind = ops::UnaryKind;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  const V erf = simd_erf(d, hn::Mul(x, hn::Set(d, 0.7071067812f)));
  return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), hn::Add(hn::Set(d, 1.0f), erf));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_tanh(D d, V x) {
  const V cube = hn::Mul(hn::Mul(hn::Mul(hn::Set(d, 0.044715f), x), x), x);
  const V tanh = simd_tanh(d, hn::Mul(hn::Set(d, 0.7978845608f), hn::Add(x, cube)));
  return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), hn::Add(hn::Set(d, 1.0f), tanh));
}

}  // namespace

// Applies a function that is not an activation to each element. Requires: has_vector_form(kind).
void map_unary(UnaryKind kind, float alpha, float beta, const float* x, float* y, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, alpha), b = hn::Set(d, beta), zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto map = [&](const auto& function) HWY_ATTR { transform(x, y, count, function); };
  switch (kind) {
    case UnaryKind::kElu:
      return map([&](auto v)
                     HWY_ATTR { return hn::IfThenElse(hn::Lt(v, zero), hn::Mul(a, simd_exp_minus_one(d, v)), v); });
    case UnaryKind::kSelu:
      return map([&](auto v) HWY_ATTR {
        return hn::Mul(b, hn::IfThenElse(hn::Lt(v, zero), hn::Mul(a, simd_exp_minus_one(d, v)), v));
      });
    case UnaryKind::kGelu:
      if (alpha != 0) return map([&](auto v) HWY_ATTR { return gelu_tanh(d, v); });
      return map([&](auto v) HWY_ATTR { return gelu(d, v); });
    case UnaryKind::kAbs:
      return map([](auto v) HWY_ATTR { return hn::Abs(v); });
    case UnaryKind::kNeg:
      return map([](auto v) HWY_ATTR { return hn::Neg(v); });
    case UnaryKind::kExp:
      return map([&](auto v) HWY_ATTR { return simd_exp(d, v); });
    case UnaryKind::kSqrt:
      return map([](auto v) HWY_ATTR { return hn::Sqrt(v); });
    case UnaryKind::kReciprocal:
      return map([&](auto v) HWY_ATTR { return hn::Div(one, v); });
    case UnaryKind::kErf:
      return map([&](auto v) HWY_ATTR { return simd_erf(d, v); });
    case UnaryKind::kSign:
      return map([&](auto v) HWY_ATTR {
        return hn::IfThenElse(hn::Gt(v, zero), one, hn::IfThenElse(hn::Lt(v, zero), hn::Neg(one), v));
      });
    case UnaryKind::kFloor:
      return map([](auto v) HWY_ATTR { return hn::Floor(v); });
    case UnaryKind::kCeil:
      return map([](auto v) HWY_ATTR { return hn::Ceil(v); });
    case UnaryKind::kRound:
      return map([](auto v) HWY_ATTR { return hn::Round(v); });
    case UnaryKind::kThresholdedRelu:
      return map([&](auto v) HWY_ATTR { return hn::IfThenZeroElse(hn::Le(v, a), v); });
    case UnaryKind::kShrink:
      return map([&](auto v) HWY_ATTR {
        const auto above = hn::IfThenElse(hn::Gt(v, a), hn::Sub(v, b), hn::Mul(v, zero));
        return hn::IfThenElse(hn::Lt(v, hn::Neg(a)), hn::Add(v, b), above);
      });
    default:
      return;
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(map_activation)
NESTRT_SIMD_EXPORT(map_unary)

namespace {

using Kind = ops::UnaryKind;

// Returns the activation of the same kind, or kNone. Both enumerations begin with the same kinds.
ops::ActivationKind activation_kind(Kind kind) {
  static_assert(static_cast<int>(Kind::kRelu) + 1 == static_cast<int>(ops::ActivationKind::kRelu));
  static_assert(static_cast<int>(Kind::kSilu) + 1 == static_cast<int>(ops::ActivationKind::kSilu));
  return kind <= Kind::kSilu ? static_cast<ops::ActivationKind>(static_cast<int>(kind) + 1)
                             : ops::ActivationKind::kNone;
}

bool has_vector_form(Kind kind) {
  switch (kind) {
    case Kind::kElu:
    case Kind::kSelu:
    case Kind::kGelu:
    case Kind::kAbs:
    case Kind::kNeg:
    case Kind::kExp:
    case Kind::kSqrt:
    case Kind::kReciprocal:
    case Kind::kErf:
    case Kind::kSign:
    case Kind::kFloor:
    case Kind::kCeil:
    case Kind::kRound:
    case Kind::kThresholdedRelu:
    case Kind::kShrink:
      return true;
    default:
      return activation_kind(kind) != ops::ActivationKind::kNone;
  }
}

// Calls map(x, y, count) on ranges of the stored elements, regardless of the layout.
template <typename Map>
Result<std::unique_ptr<Kernel>> storage_kernel(const OperatorSpec& spec, Map map) {
  const int64_t count = spec.inputs[0].storage_bytes() / static_cast<int64_t>(sizeof(float));
  return make_kernel([count, map](const KernelCall& call) {
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, count, 1,
                    [&](int64_t first, int64_t last) { map(x + first, y + first, last - first); });
  });
}

}  // namespace

bool accepts_unary_simd(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  return input.type == DataType::kF32 && input.layout == spec.outputs[0].layout && input.packing == Packing::kNone &&
         has_vector_form(spec.as<ops::Unary>()->kind);
}

Result<std::unique_ptr<Kernel>> prepare_unary_simd(const OperatorSpec& spec) {
  const ops::Unary& attributes = *spec.as<ops::Unary>();
  const float alpha = attributes.alpha, beta = attributes.beta;
  const Kind kind = attributes.kind;
  if (const auto activation = activation_kind(kind); activation != ops::ActivationKind::kNone) {
    return storage_kernel(spec, [run = simd_pick(map_activation_table), stated = Activation{activation, alpha, beta}](
                                    const float* x, float* y, int64_t count) { run(stated, x, y, count); });
  }
  return storage_kernel(spec, [run = simd_pick(map_unary_table), kind, alpha, beta](
                                  const float* x, float* y, int64_t count) { run(kind, alpha, beta, x, y, count); });
}

}  // namespace nestrt::kernels
#endif
