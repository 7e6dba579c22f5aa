// Gather: slices of the data along an axis, picked by an index tensor.
// output[outer][indices...][inner] = data[outer][index][inner], where outer and inner are the axes around `axis`.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& gather_rules();

Result<std::unique_ptr<Kernel>> prepare_gather_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
