// SPDX-License-Identifier: Apache-2.0
// Defines each f32 kind. Comparisons are written so that NaN stays NaN.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/common/math/activation.h"
#include "kernels/unary/unary.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::UnaryKind;

template <ops::ActivationKind kKind>
float activation(float x, float alpha, float beta) {
  return apply_activation({kKind, alpha, beta}, x);
}

float elu(float x, float alpha, float) { return x < 0 ? alpha * std::expm1(x) : x; }
float selu(float x, float alpha, float gamma) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); }
float celu(float x, float alpha, float) { return x < 0 ? alpha * std::expm1(x / alpha) : x; }
// Computes log(1 + exp(x)) without overflow.
float softplus(float x, float, float) { return (x > 0 ? x : 0.0f) + std::log1p(std::exp(-std::abs(x))); }
float softsign(float x, float, float) { return x / (1 + std::abs(x)); }
float thresholded_relu(float x, float alpha, float) { return x <= alpha ? 0.0f : x; }
float shrink(float x, float lambda, float bias) {
  if (x < -lambda) return x + bias;
  return x > lambda ? x - bias : x * 0.0f;
}
float gelu(float x, float tanh_form, float) {
  if (tanh_form != 0) return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
  return 0.5f * x * (1 + std::erf(x * 0.7071067812f));
}
float mish(float x, float, float) { return x * std::tanh(softplus(x, 0, 0)); }
float sign(float x, float, float) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x; }
float negative(float x, float, float) { return -x; }
float reciprocal(float x, float, float) { return 1 / x; }
float absolute(float x, float, float) { return std::abs(x); }

template <float (*kFunction)(float)>
float plain(float x, float, float) {
  return kFunction(x);
}

struct Definition {
  Kind kind;
  UnaryFunction function;
};

constexpr Definition kDefinitions[] = {
    {Kind::kRelu, activation<ops::ActivationKind::kRelu>},
    {Kind::kClip, activation<ops::ActivationKind::kClip>},
    {Kind::kLeakyRelu, activation<ops::ActivationKind::kLeakyRelu>},
    {Kind::kHardSigmoid, activation<ops::ActivationKind::kHardSigmoid>},
    {Kind::kHardSwish, activation<ops::ActivationKind::kHardSwish>},
    {Kind::kSigmoid, activation<ops::ActivationKind::kSigmoid>},
    {Kind::kTanh, activation<ops::ActivationKind::kTanh>},
    {Kind::kSilu, activation<ops::ActivationKind::kSilu>},
    {Kind::kElu, elu},
    {Kind::kSelu, selu},
    {Kind::kCelu, celu},
    {Kind::kSoftplus, softplus},
    {Kind::kSoftsign, softsign},
    {Kind::kThresholdedRelu, thresholded_relu},
    {Kind::kShrink, shrink},
    {Kind::kGelu, gelu},
    {Kind::kMish, mish},
    {Kind::kAbs, absolute},
    {Kind::kNeg, negative},
    {Kind::kExp, plain<::expf>},
    {Kind::kLog, plain<::logf>},
    {Kind::kSqrt, plain<::sqrtf>},
    {Kind::kReciprocal, reciprocal},
    {Kind::kErf, plain<::erff>},
    {Kind::kSign, sign},
    {Kind::kFloor, plain<::floorf>},
    {Kind::kCeil, plain<::ceilf>},
    {Kind::kRound, plain<::nearbyintf>},  // half to even
    {Kind::kSin, plain<::sinf>},
    {Kind::kCos, plain<::cosf>},
    {Kind::kTan, plain<::tanf>},
    {Kind::kAsin, plain<::asinf>},
    {Kind::kAcos, plain<::acosf>},
    {Kind::kAtan, plain<::atanf>},
    {Kind::kSinh, plain<::sinhf>},
    {Kind::kCosh, plain<::coshf>},
    {Kind::kAsinh, plain<::asinhf>},
    {Kind::kAcosh, plain<::acoshf>},
    {Kind::kAtanh, plain<::atanhf>},
};

}  // namespace

UnaryFunction unary_function(Kind kind) {
  const auto* const found = std::ranges::find(kDefinitions, kind, &Definition::kind);
  return found == std::end(kDefinitions) ? nullptr : found->function;
}

}  // namespace nestrt::kernels
