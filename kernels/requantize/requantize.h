// SPDX-License-Identifier: Apache-2.0
// Requantize: converts integers to a different quantization, with an optional activation of the real numbers. Input and
// output have the same layout; each has an exponent, or a scale and a zero point.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Returns whether shifts and bounds suffice: both tensors have exponents, and the activation only sets bounds.
bool shifts_elements(const OperatorSpec& spec);

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec);
// Accepts any layout. Requires: shifts_elements().
Result<std::unique_ptr<Kernel>> prepare_requantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
