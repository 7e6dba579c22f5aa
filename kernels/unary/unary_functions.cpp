// The definition of each f32 kind. Comparisons are written so that a NaN stays a NaN.
#include <cmath>

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
// log(1 + exp(x)) without overflow.
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

}  // namespace

UnaryFunction unary_function(Kind kind) {
  switch (kind) {
    case Kind::kRelu:
      return activation<ops::ActivationKind::kRelu>;
    case Kind::kClip:
      return activation<ops::ActivationKind::kClip>;
    case Kind::kLeakyRelu:
      return activation<ops::ActivationKind::kLeakyRelu>;
    case Kind::kHardSigmoid:
      return activation<ops::ActivationKind::kHardSigmoid>;
    case Kind::kHardSwish:
      return activation<ops::ActivationKind::kHardSwish>;
    case Kind::kSigmoid:
      return activation<ops::ActivationKind::kSigmoid>;
    case Kind::kTanh:
      return activation<ops::ActivationKind::kTanh>;
    case Kind::kSilu:
      return activation<ops::ActivationKind::kSilu>;
    case Kind::kElu:
      return elu;
    case Kind::kSelu:
      return selu;
    case Kind::kCelu:
      return celu;
    case Kind::kSoftplus:
      return softplus;
    case Kind::kSoftsign:
      return softsign;
    case Kind::kThresholdedRelu:
      return thresholded_relu;
    case Kind::kShrink:
      return shrink;
    case Kind::kGelu:
      return gelu;
    case Kind::kMish:
      return mish;
    case Kind::kAbs:
      return absolute;
    case Kind::kNeg:
      return negative;
    case Kind::kExp:
      return plain<::expf>;
    case Kind::kLog:
      return plain<::logf>;
    case Kind::kSqrt:
      return plain<::sqrtf>;
    case Kind::kReciprocal:
      return reciprocal;
    case Kind::kErf:
      return plain<::erff>;
    case Kind::kSign:
      return sign;
    case Kind::kFloor:
      return plain<::floorf>;
    case Kind::kCeil:
      return plain<::ceilf>;
    case Kind::kRound:
      return plain<::nearbyintf>;  // half to even
    case Kind::kSin:
      return plain<::sinf>;
    case Kind::kCos:
      return plain<::cosf>;
    case Kind::kTan:
      return plain<::tanf>;
    case Kind::kAsin:
      return plain<::asinf>;
    case Kind::kAcos:
      return plain<::acosf>;
    case Kind::kAtan:
      return plain<::atanf>;
    case Kind::kSinh:
      return plain<::sinhf>;
    case Kind::kCosh:
      return plain<::coshf>;
    case Kind::kAsinh:
      return plain<::asinhf>;
    case Kind::kAcosh:
      return plain<::acoshf>;
    case Kind::kAtanh:
      return plain<::atanhf>;
    case Kind::kLogicalNot:
    case Kind::kIsNan:
    case Kind::kIsInf:
    case Kind::kBitwiseNot:
      return nullptr;
  }
  return nullptr;
}

}  // namespace nestrt::kernels
