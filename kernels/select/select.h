// Select: y = condition ? a : b, all three broadcast to one shape (ONNX Where). The condition is boolean; a and b have
// one type, which is the output's.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& select_rules();

bool accepts_select_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_select_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
