// Slice: a strided window of the input; see plan.fbs.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& slice_rules();

Result<std::unique_ptr<Kernel>> prepare_slice_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_slice_copy(const OperatorSpec& spec);

}  // namespace nestrt::kernels
