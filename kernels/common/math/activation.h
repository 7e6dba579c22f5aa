// Activation: what a fused epilogue does to each element (ops::ActivationKind).
// The definitions; kernels/common/math/activation-inl.h has the same on vectors. A NaN stays a NaN in all of them.
#pragma once

#include "nestrt/driver/operators.h"

namespace nestrt::kernels {

using ops::Activation;

float apply_activation(const Activation& activation, float x);

// 1 / (1 + exp(-x)) without overflow: small results keep their relative accuracy.
float sigmoid(float x);

}  // namespace nestrt::kernels
