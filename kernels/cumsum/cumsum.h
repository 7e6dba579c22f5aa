// SPDX-License-Identifier: Apache-2.0
// CumSum: running sums (or products) along one axis, of the elements up to each one (exclusive: before it), from the
// far end if reverse is set. f32 (accumulated in double precision), s32 and s64 (overflow wraps).
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Steps through the axis once for many slices; supports every plain case. Results equal the reference bit for bit.
Result<std::unique_ptr<Kernel>> prepare_cumsum_tiles(const OperatorSpec& spec);

}  // namespace nestrt::kernels
