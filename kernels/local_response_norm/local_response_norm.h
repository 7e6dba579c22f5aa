// SPDX-License-Identifier: Apache-2.0
// LocalResponseNorm across channels: y = x / (bias + alpha / size * sum of squares of the channels in
// [c - floor((size - 1) / 2), c + ceil((size - 1) / 2)])^beta. Supports f32 tensors [N, C, spatial...].
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

bool accepts_local_response_norm_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_local_response_norm_reference(const OperatorSpec& spec);

// Supports plain tensors with a positive bias and a non-negative alpha.
bool accepts_local_response_norm_plain(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_local_response_norm_plain(const OperatorSpec& spec);

// Supports the same parameters from blocked16 to blocked16, for up to 1024 channels and window sizes up to 33.
bool accepts_local_response_norm_blocked(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_local_response_norm_blocked(const OperatorSpec& spec);

}  // namespace nestrt::kernels
