// Cast: to another element type (plan::Cast::to). Integers wrap into narrower ones; f32 to integer truncates towards
// zero and saturates, NaN gives 0; to boolean, whatever is not zero is true; quantized tensors are not cast.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& cast_rules();

bool accepts_cast_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_cast_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
