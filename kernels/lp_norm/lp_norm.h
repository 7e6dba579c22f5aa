// LpNorm: each slice along one axis divided by its p-norm, p = 1 or 2. A slice of zeros stays zero. f32.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& lp_norm_rules();

bool accepts_lp_norm_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_lp_norm_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
