// CumSum: running sums along one axis, of the elements up to each one (exclusive: before it), from the far end where
// reverse is set. f32 (accumulated in double precision), s32 and s64 (overflow wraps).
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& cumsum_rules();

bool accepts_cumsum_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_cumsum_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
