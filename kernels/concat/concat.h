// SPDX-License-Identifier: Apache-2.0
// Concat: joins the inputs along an axis.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_concat_reference(const OperatorSpec& spec);
bool accepts_concat_copy(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_concat_copy(const OperatorSpec& spec);

}  // namespace nestrt::kernels
