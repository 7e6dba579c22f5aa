// SPDX-License-Identifier: Apache-2.0
// Scalar definitions of the activations (ops::ActivationKind) that fused epilogues apply to each element.
// kernels/common/math/activation-inl.h has the vector versions. NaN stays NaN in all of them.
#pragma once

#include "nestrt/driver/operators.h"

namespace nestrt::kernels {

using ops::Activation;

float apply_activation(const Activation& activation, float x);

// Returns 1 / (1 + exp(-x)) without overflow. Small results keep their relative accuracy.
float sigmoid(float x);

}  // namespace nestrt::kernels
