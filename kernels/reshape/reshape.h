// Reshape: the same elements in another shape. Runs only where the output could not view the input's buffer.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& reshape_rules();

Result<std::unique_ptr<Kernel>> prepare_reshape_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
