// SPDX-License-Identifier: Apache-2.0
// Softmax along one axis: exp(x - max) / sum(exp(x - max)), or its logarithm. Supports f32. The output has the shape of
// the input. A slice that contains NaN or +infinity, or only -infinity, becomes all NaN.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

bool accepts_softmax_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_softmax_reference(const OperatorSpec& spec);

// Supports plain tensors and any axis.
bool accepts_softmax_simd(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_softmax_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
