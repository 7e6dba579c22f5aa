// SPDX-License-Identifier: Apache-2.0
// Select: y = condition ? a : b, where all three operands are broadcast to one shape (ONNX Where). The condition is
// boolean; a, b and the output have the same type.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Vectorized; supports every plain case.
Result<std::unique_ptr<Kernel>> prepare_select_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
