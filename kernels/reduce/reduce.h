// Reduce: one value of many, over any axes (none stated means all). Attributes: ops::Reduce.
//   f32      every kind, accumulated in double precision
//   s32 s64  sum, mean (truncated), max, min, prod; overflow wraps
// Nothing to reduce gives the neutral element (mean: NaN, or 0 for integers; max and min: the lowest and highest
// value).
#pragma once

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// Bit a is set where axis a is reduced. Requires: infer has accepted the operator.
uint32_t reduced_axes(const OperatorSpec& spec);

bool accepts_reduce_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_reference(const OperatorSpec& spec);

// f32 mean and sum over the trailing axes of a plain tensor.
bool accepts_reduce_rows(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_rows(const OperatorSpec& spec);

// f32 mean and sum over all spatial axes of a blocked16 tensor; the output is plain or blocked16.
bool accepts_reduce_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reduce_blocked(const OperatorSpec& spec);

}  // namespace nestrt::kernels
