// SPDX-License-Identifier: Apache-2.0
// ArgReduce: the index of the largest (or smallest) element along one axis; a tie selects the first, or the last if
// select_last is set. As in numpy, a NaN is selected before any number. Supports f32, s8, u8, s32 and s64 inputs; the
// output is s64.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Vectorized; supports plain f32 tensors.
bool accepts_arg_reduce_simd(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_arg_reduce_simd(const OperatorSpec& spec);

}  // namespace nestrt::kernels
