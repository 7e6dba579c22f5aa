// Dequantize: s8 to f32, exactly. Layouts of input and output are the same.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& dequantize_rules();

Result<std::unique_ptr<Kernel>> prepare_dequantize_reference(const OperatorSpec& spec);
// Any layout.
Result<std::unique_ptr<Kernel>> prepare_dequantize_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
