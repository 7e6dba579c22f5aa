// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/math/activation.h"

#include <cmath>

namespace nestrt::kernels {
namespace {

// Does not use std::min and std::max, which lose a NaN in one of their operands.
float clip(float x, float low, float high) {
  const float raised = x < low ? low : x;
  return raised > high ? high : raised;
}

}  // namespace

float sigmoid(float x) {
  const float e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1.0f) / (1.0f + e);
}

float apply_activation(const Activation& activation, float x) {
  switch (activation.kind) {
    case ops::ActivationKind::kNone:
      return x;
    case ops::ActivationKind::kRelu:
      return x < 0 ? 0.0f : x;
    case ops::ActivationKind::kClip:
      return clip(x, activation.alpha, activation.beta);
    case ops::ActivationKind::kLeakyRelu:
      return x < 0 ? activation.alpha * x : x;
    case ops::ActivationKind::kHardSigmoid:
      return clip(activation.alpha * x + activation.beta, 0, 1);
    case ops::ActivationKind::kHardSwish:
      return x * clip(x * (1.0f / 6.0f) + 0.5f, 0, 1);
    case ops::ActivationKind::kSigmoid:
      return sigmoid(x);
    case ops::ActivationKind::kTanh:
      return std::tanh(x);
    case ops::ActivationKind::kSilu:
      return x * sigmoid(x);
  }
  return x;
}

}  // namespace nestrt::kernels
