// Reorder: the same logical tensor in another layout. The output's layout is what its tensor says; padding lanes of a
// blocked or folded output become zeros.
#pragma once

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_reorder_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reorder_to_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_reorder_to_plain(const OperatorSpec& spec);
// Plain images of s8 into what ImageFold writes.
Result<std::unique_ptr<Kernel>> prepare_reorder_to_folded(const OperatorSpec& spec);

}  // namespace nestrt::kernels
