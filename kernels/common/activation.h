// Activation: what a fused epilogue does to each element, as plan.fbs states it (plan::ActivationKind).
// The definitions; kernels/common/activation-inl.h has the same on vectors. A NaN stays a NaN in all of them.
#pragma once

#include "nestrt/plan_generated.h"
#include "nestrt/status.h"

namespace nestrt::kernels {

struct Activation {
  plan::ActivationKind kind = plan::ActivationKind::none;
  float alpha = 0;
  float beta = 0;
};

// As stated in an operator's attributes; null means none.
Activation activation_of(const plan::Activation* stated);

// Refuses a kind that does not exist.
Status check_activation(const plan::Activation* stated);

float apply_activation(const Activation& activation, float x);

// 1 / (1 + exp(-x)) without overflow: small results keep their relative accuracy.
float sigmoid(float x);

}  // namespace nestrt::kernels
