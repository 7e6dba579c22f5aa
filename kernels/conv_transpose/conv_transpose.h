// Transposed convolution over 1, 2 or 3 spatial axes: y = activation(conv_transpose(x) + bias + residual).
// Every variant takes plain tensors and unpacked weights, constant or not.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& conv_transpose_rules();

// The variants.
Result<std::unique_ptr<Kernel>> prepare_conv_transpose_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
