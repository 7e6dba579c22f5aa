// Transpose: output axis i is input axis permutation[i].
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& transpose_rules();

Result<std::unique_ptr<Kernel>> prepare_transpose_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_transpose_copy(const OperatorSpec& spec);

}  // namespace nestrt::kernels
