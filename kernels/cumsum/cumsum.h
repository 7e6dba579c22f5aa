// SPDX-License-Identifier: Apache-2.0
// CumSum: running sums (or products) along one axis. Each output includes the elements up to its position, or, if
// exclusive, those before it. If reverse is set, the axis is traversed from its end. Supports f32 (accumulated in
// double precision), s32 and s64 (overflow wraps).
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Traverses the axis once for many slices. Supports every plain case. Results are bit-identical to the reference.
Result<std::unique_ptr<Kernel>> prepare_cumsum_tiles(const OperatorSpec& spec);

}  // namespace nestrt::kernels
