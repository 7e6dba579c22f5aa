// LocalResponseNorm across channels: y = x / (bias + alpha / size * sum of squares of the channels in
// [c - floor((size - 1) / 2), c + ceil((size - 1) / 2)])^beta. f32, [N, C, spatial...].
#pragma once

#include "nestrt/kernel.h"

namespace nestrt::kernels {

const OperatorRules& local_response_norm_rules();

bool accepts_local_response_norm_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_local_response_norm_reference(const OperatorSpec& spec);

}  // namespace nestrt::kernels
