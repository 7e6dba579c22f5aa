// The table of every operator and kernel that nestrt has.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

// One entry per member of plan::Attributes. Static; never fails.
const KernelRegistry& registry();

}  // namespace nestrt::kernels
