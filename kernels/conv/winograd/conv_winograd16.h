// SPDX-License-Identifier: Apache-2.0
// Winograd convolution with prepared parameters, for kernels that first convert their operands.
#pragma once

#include <memory>

#include "kernels/conv/blocked.h"
#include "kernels/conv/winograd/winograd.h"

namespace nestrt::kernels {

// Returns a kernel with the operands input, weights, bias and residual in blocked16. Requires: aarch64; a geometry that
// fits the shape; an operator that satisfies has_bounds(); weights as [blocks of 16 outputs][positions][channels][16
// outputs].
std::unique_ptr<Kernel> make_winograd16(BlockedConv conv, const WinogradShape& shape,
                                        const WinogradTransforms& transforms);

}  // namespace nestrt::kernels
