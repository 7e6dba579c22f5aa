// ArgReduce: where along one axis the largest (or smallest) element is; of equal ones the first, or the last where
// select_last is set. As in numpy a NaN beats every number. f32, s8, u8, s32, s64; the output is s64.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& arg_reduce_rules();

bool accepts_arg_reduce_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_arg_reduce_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
