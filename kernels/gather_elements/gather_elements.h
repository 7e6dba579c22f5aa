// GatherElements: output[i][j] = data[indices[i][j]][j] for axis 0, and so on for other axes.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& gather_elements_rules();

Result<std::unique_ptr<Kernel>> prepare_gather_elements_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
