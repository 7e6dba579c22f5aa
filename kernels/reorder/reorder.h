// SPDX-License-Identifier: Apache-2.0
// Reorder: converts a tensor to the layout of the output. Padding lanes of a blocked or folded output are set to zero.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_reorder_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reorder_to_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reorder_to_plain(const OperatorSpec& spec);
// Converts plain s8 images to the layouts that ImageFold supports.
Result<std::unique_ptr<Kernel>> prepare_reorder_to_folded(const OperatorSpec& spec);

}  // namespace nestrt::kernels
