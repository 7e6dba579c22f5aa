// LayerNorm: y = scale * (x - mean) / sqrt(variance + epsilon) + bias, mean and variance over the axes [axis, rank).
// scale and bias (optional) have the shape of these axes. f32.
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& layer_norm_rules();

bool accepts_layer_norm_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_layer_norm_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
