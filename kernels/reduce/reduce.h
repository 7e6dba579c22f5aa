// SPDX-License-Identifier: Apache-2.0
// Reduce: reduces each of the given axes to one element (an empty list means all axes). Attributes: ops::Reduce.
//   f32      every kind, accumulated in double precision
//   s32 s64  sum, mean (truncated), max, min, prod; overflow wraps
// An empty reduction gives the neutral element (mean: NaN, or 0 for integers; max: the lowest value; min: the highest
// value).
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Returns a mask with bit a set if axis a is reduced. Requires: infer has accepted the operator.
uint32_t reduced_axes(const OperatorSpec& spec);

bool accepts_reduce_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_reference(const OperatorSpec& spec);

// Supports every f32 kind over any axes of a non-empty plain tensor.
bool accepts_reduce_fold(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_fold(const OperatorSpec& spec);

// Supports integers over any axes of a non-empty plain tensor.
bool accepts_reduce_integers(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_integers(const OperatorSpec& spec);

// Supports f32 mean and sum over the trailing axes of a plain tensor, except those shorter than a few vectors.
bool accepts_reduce_rows(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_rows(const OperatorSpec& spec);

// Supports f32 mean and sum over all spatial axes of a blocked16 tensor; the output is plain or blocked16.
bool accepts_reduce_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_blocked(const OperatorSpec& spec);

}  // namespace nestrt::kernels
