// Requantize: s8 to s8 of the output's exponent, rounded as the attributes say and clipped. Layouts of input and output
// are the same.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& requantize_rules();

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec);
// Any layout.
Result<std::unique_ptr<Kernel>> prepare_requantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
