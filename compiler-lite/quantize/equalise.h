// SPDX-License-Identifier: Apache-2.0
// Cross-layer equalisation (M. Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction,
// 2019). Between two layers, scales up channels that use little of the value's range: multiplies the weights of the
// first layer by a factor and divides the weights of the second by it.
#pragma once

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

// Changes the weights of consecutive Convs and Denses with a ReLU, a clip from 0 or no activation between them. Updates
// the means and peaks of the values between them in `profile`; exponents stay unchanged. Factors are powers of two, so
// nothing is rounded. The network computes the same results unless a scaled channel exceeds the peak seen in
// calibration and reaches the upper bound of a clip. Returns the number of scaled values.
int equalise(Graph& graph, QuantizationProfile& profile);

}  // namespace nestrt::compiler
