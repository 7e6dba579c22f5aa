// InstanceNorm: y = scale[c] * (x - mean) / sqrt(variance + epsilon) + bias[c], mean and variance over the spatial
// axes of each picture and channel. f32, [N, C, spatial...].
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& instance_norm_rules();

bool accepts_instance_norm_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_instance_norm_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
