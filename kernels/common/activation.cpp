#include "kernels/common/activation.h"

#include <cmath>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

// std::min and std::max would lose a NaN on one side.
float clip(float x, float low, float high) {
  const float raised = x < low ? low : x;
  return raised > high ? high : raised;
}

}  // namespace

Activation activation_of(const plan::Activation* stated) {
  if (stated == nullptr) return {};
  return {stated->kind(), stated->alpha(), stated->beta()};
}

Status check_activation(const plan::Activation* stated) {
  if (stated == nullptr || stated->kind() <= plan::ActivationKind::MAX) return ok_status();
  return rule_error("activation kind " + std::to_string(static_cast<int>(stated->kind())) + " does not exist");
}

float sigmoid(float x) {
  const float e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1.0f) / (1.0f + e);
}

float apply_activation(const Activation& activation, float x) {
  switch (activation.kind) {
    case plan::ActivationKind::none:
      return x;
    case plan::ActivationKind::relu:
      return x < 0 ? 0.0f : x;
    case plan::ActivationKind::clip:
      return clip(x, activation.alpha, activation.beta);
    case plan::ActivationKind::leaky_relu:
      return x < 0 ? activation.alpha * x : x;
    case plan::ActivationKind::hard_sigmoid:
      return clip(activation.alpha * x + activation.beta, 0, 1);
    case plan::ActivationKind::hard_swish:
      return x * clip(x * (1.0f / 6.0f) + 0.5f, 0, 1);
    case plan::ActivationKind::sigmoid:
      return sigmoid(x);
    case plan::ActivationKind::tanh:
      return std::tanh(x);
    case plan::ActivationKind::silu:
      return x * sigmoid(x);
  }
  return x;
}

}  // namespace nestrt::kernels
