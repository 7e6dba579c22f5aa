// The definition of each f32 kind. Comparisons are written so that a NaN stays a NaN.
#include <cmath>

#include "kernels/common/activation.h"
#include "kernels/unary/unary.h"

namespace nestrt::kernels {
namespace {

using Kind = plan::UnaryKind;

template <plan::ActivationKind kKind>
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
    case Kind::relu:
      return activation<plan::ActivationKind::relu>;
    case Kind::clip:
      return activation<plan::ActivationKind::clip>;
    case Kind::leaky_relu:
      return activation<plan::ActivationKind::leaky_relu>;
    case Kind::hard_sigmoid:
      return activation<plan::ActivationKind::hard_sigmoid>;
    case Kind::hard_swish:
      return activation<plan::ActivationKind::hard_swish>;
    case Kind::sigmoid:
      return activation<plan::ActivationKind::sigmoid>;
    case Kind::tanh:
      return activation<plan::ActivationKind::tanh>;
    case Kind::silu:
      return activation<plan::ActivationKind::silu>;
    case Kind::elu:
      return elu;
    case Kind::selu:
      return selu;
    case Kind::celu:
      return celu;
    case Kind::softplus:
      return softplus;
    case Kind::softsign:
      return softsign;
    case Kind::thresholded_relu:
      return thresholded_relu;
    case Kind::shrink:
      return shrink;
    case Kind::gelu:
      return gelu;
    case Kind::mish:
      return mish;
    case Kind::abs:
      return absolute;
    case Kind::neg:
      return negative;
    case Kind::exp:
      return plain<::expf>;
    case Kind::log:
      return plain<::logf>;
    case Kind::sqrt:
      return plain<::sqrtf>;
    case Kind::reciprocal:
      return reciprocal;
    case Kind::erf:
      return plain<::erff>;
    case Kind::sign:
      return sign;
    case Kind::floor:
      return plain<::floorf>;
    case Kind::ceil:
      return plain<::ceilf>;
    case Kind::round:
      return plain<::nearbyintf>;  // half to even
    case Kind::sin:
      return plain<::sinf>;
    case Kind::cos:
      return plain<::cosf>;
    case Kind::tan:
      return plain<::tanf>;
    case Kind::asin:
      return plain<::asinf>;
    case Kind::acos:
      return plain<::acosf>;
    case Kind::atan:
      return plain<::atanf>;
    case Kind::sinh:
      return plain<::sinhf>;
    case Kind::cosh:
      return plain<::coshf>;
    case Kind::asinh:
      return plain<::asinhf>;
    case Kind::acosh:
      return plain<::acoshf>;
    case Kind::atanh:
      return plain<::atanhf>;
    case Kind::logical_not:
    case Kind::is_nan:
    case Kind::is_inf:
      return nullptr;
  }
  return nullptr;
}

}  // namespace nestrt::kernels
