// SPDX-License-Identifier: Apache-2.0
// Softmax along one axis: exp(x - max) / sum(exp(x - max)), or its logarithm. f32. The output has the input's shape.
// A slice with a NaN or +infinity, or of -infinity only, becomes all NaN.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

bool accepts_softmax_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_softmax_reference(const OperatorSpec& spec);

// Plain tensors, any axis.
bool accepts_softmax_simd(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_softmax_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
